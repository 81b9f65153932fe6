"""Routes of policies: of tables, of wider scopes, and what a policy can be made of.

Included by `api.app`. Each reads the request, calls one service and shows its answer; none merges.
"""
