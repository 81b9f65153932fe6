"""Routes of registered tables: health, plan, history, explanation, freezes, signals, advice.

Included by `api.app`. Each reads the request, calls one service and shows its answer; none measures.
"""
