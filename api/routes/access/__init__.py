"""Routes of API keys, the caller and the audit log.

Included by `api.app`. Each reads the request, calls one service and shows its answer; none decides.
"""
