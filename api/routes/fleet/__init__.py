"""Routes of all tables together: figures, limits, pauses, health and metrics of the process.

Included by `api.app`. Each reads the request, calls one service and shows its answer; none sums or ranks.
"""
