"""What Packhouse does for its callers: each service is one subject, its verbs are imperative."""
