"""Spans that tests look at: kept in memory, or received from the exporter by a collector on loopback."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from engine.tracing.otel import own_sampler, recording
from tests.support.receivers import Receiver, receiver


@dataclass(frozen=True)
class Seen:
    """A span as a backend has it; times in seconds."""

    name: str
    trace: str
    id: str
    parent: str
    begun: float
    ended: float
    links: frozenset[tuple[str, str]]
    attributes: dict[str, Any] = field(hash=False)

    @property
    def key(self) -> tuple[str, str]:
        return self.trace, self.id


@contextmanager
def kept_spans() -> Iterator["Kept"]:
    """Record spans in memory inside."""
    exporter = InMemorySpanExporter()
    with recording(SimpleSpanProcessor(exporter), process="test", version="0", sampler=own_sampler()):
        yield Kept(exporter)


@dataclass(frozen=True)
class Kept:
    exporter: InMemorySpanExporter

    @property
    def all(self) -> list[Seen]:
        return [_of_sdk(each) for each in self.exporter.get_finished_spans()]

    def named(self, name: str) -> list[Seen]:
        return [each for each in self.all if each.name == name]


def _of_sdk(span: ReadableSpan) -> Seen:
    context = span.get_span_context()
    assert context is not None
    return Seen(
        span.name,
        f"{context.trace_id:032x}",
        f"{context.span_id:016x}",
        "" if span.parent is None else f"{span.parent.span_id:016x}",
        (span.start_time or 0) / 1e9,
        (span.end_time or 0) / 1e9,
        frozenset((f"{each.context.trace_id:032x}", f"{each.context.span_id:016x}") for each in span.links),
        dict(span.attributes or {}),
    )


@contextmanager
def collector() -> Iterator["Collector"]:
    """Serve an OTLP/HTTP collector inside."""
    with receiver(lambda _: 200) as made:
        yield Collector(made)


@dataclass(frozen=True)
class Collector:
    receiver: Receiver

    @property
    def environ(self) -> dict[str, str]:
        """The variables of a process that exports to it, soon."""
        url = self.receiver.url.removesuffix("/hook")
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "50"}

    @property
    def resources(self) -> list[dict[str, str]]:
        return [
            {each.key: each.value.string_value for each in part.resource.attributes}
            for request in self._requests
            for part in request.resource_spans
        ]

    @property
    def all(self) -> list[Seen]:
        return [
            Seen(
                span.name,
                span.trace_id.hex(),
                span.span_id.hex(),
                span.parent_span_id.hex(),
                span.start_time_unix_nano / 1e9,
                span.end_time_unix_nano / 1e9,
                frozenset((each.trace_id.hex(), each.span_id.hex()) for each in span.links),
                {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes},
            )
            for request in self._requests
            for part in request.resource_spans
            for scope in part.scope_spans
            for span in scope.spans
        ]

    @property
    def _requests(self) -> Sequence[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for _, body in self.receiver.requests]


def tree(spans: Sequence[Seen]) -> set[tuple[str, str]]:
    """Return the pairs of names of a span and its parent, "" for none that is among the spans."""
    names = {each.key: each.name for each in spans}
    return {(names.get((each.trace, each.parent), ""), each.name) for each in spans}
