"""What happens to bytes: the rewrite kernel that runs inside Spark tasks."""
