"""Runs of any operation: submission, claims, attempts, holds, budgets, views.

Called by the API, workers, operations and explain. Knows nothing of how an operation works.
"""
