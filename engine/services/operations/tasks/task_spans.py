"""Spans of what tasks reported: a task writes none itself, as executors have no tracer.

The clocks of executors differ from the worker's, so all is clipped to the operation that sent the tasks.
"""

from collections.abc import Sequence

from engine.rewriting.kernel.contract import GroupResult
from engine.tracing.spans import TraceSpan


def add_group_spans(operation: TraceSpan, results: Sequence[GroupResult]) -> None:
    """Add a span for each task that was measured to the span of their operation, with its phases inside."""
    for result in results:
        if (when := result.timeline) is None:
            continue
        begun = when.started_at
        group = operation.part(
            "group", begun, begun + when.seconds, group=result.group, outcome=result.outcome, requests=result.requests
        )
        for phase in when.phases:
            group.part(phase.name, begun + phase.begun, begun + phase.ended, seconds=phase.seconds)
