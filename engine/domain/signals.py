"""What other systems tell Packhouse: commits, query latency, back-pressure, the filters of queries."""

from enum import StrEnum


class SignalKind(StrEnum):
    """What a signal is about."""

    COMMIT = "commit"
    QUERY_LATENCY = "query_latency"
    BACKPRESSURE = "backpressure"
    FILTERS = "filters"
