"""Services: the operations of Packhouse for its callers. One service per subject, methods named by imperative verbs."""
