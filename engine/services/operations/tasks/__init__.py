"""Execution of file groups as Spark tasks: lanes, credentials, pace. Called by operations; knows no table format."""
