"""Routes of runs: for their callers, and for the tasks that report their pace.

Included by `api.app`. Each reads the request, calls one service and shows its answer; none writes a state.
"""
