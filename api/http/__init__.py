"""Rules of HTTP for each request and answer: keys, bodies, methods, conditions, limits, errors, streams.

`api.app` stacks the middleware; routes take errors, ETags, idempotency and streams from here. No module decides about
a table, a policy or a run.
"""
