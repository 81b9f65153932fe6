"""Spans by OpenTelemetry's SDK, exported over OTLP/HTTP in the background.

The SDK reads its standard variables `OTEL_*`: endpoint, headers, timeouts, sampler, resource. A collector that is away
or slow costs spans and nothing else: they wait in a bounded queue, whose oldest are dropped, and another thread sends
them. At the end that thread gets `GRACE_SECONDS`.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased, Sampler, SamplingResult, TraceIdRatioBased

from engine.tracing.contexts import SpanContext
from engine.tracing.spans import NO_SPAN, Attribute, TraceSpan, using

GRACE_SECONDS: Final = 3.0
"""Time that spans in the queue get at the end of the process."""

READS_SAMPLED: Final = 0.01
"""Part of the requests that only read which are recorded, unless their caller decided."""

MOST_SPANS: Final = 5000
"""Most spans of one attempt: a run may have hundreds of thousands of groups. Its own span counts those left out."""

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_NANOSECONDS: Final = 10**9
_PREFIX: Final = "packhouse."
_METHOD: Final = "http.request.method"
_ATTEMPT_ERROR: Final = 500

_chosen_ids: Final[ContextVar[SpanContext | None]] = ContextVar("chosen_ids", default=None)


class _Room:
    """The spans that an attempt may still have."""

    def __init__(self) -> None:
        self._left = MOST_SPANS
        self.refused = 0

    def take(self) -> bool:
        self._left -= 1
        self.refused += self._left < 0
        return self._left >= 0


_room: Final[ContextVar[_Room | None]] = ContextVar("room", default=None)


class _Ids(RandomIdGenerator):
    """Random ids, except for the first span of an attempt, whose ids are chosen."""

    def generate_trace_id(self) -> int:
        chosen = _chosen_ids.get()
        return super().generate_trace_id() if chosen is None else chosen.trace_id

    def generate_span_id(self) -> int:
        chosen = _chosen_ids.get()
        return super().generate_span_id() if chosen is None else chosen.span_id


class _FirstSpans(Sampler):
    """Records every trace that Packhouse begins, of requests that only read a part."""

    def __init__(self) -> None:
        self._reads = TraceIdRatioBased(READS_SAMPLED)

    def should_sample(  # noqa: PLR0917 - of the SDK
        self,
        parent_context: contexts.Context | None,
        trace_id: int,
        name: str,
        kind: trace.SpanKind | None = None,
        attributes: Any = None,
        links: Any = None,
        trace_state: Any = None,
    ) -> SamplingResult:
        sampler = self._reads if (attributes or {}).get(_METHOD) in _READS else ALWAYS_ON
        return sampler.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)

    def get_description(self) -> str:
        return "PackhouseFirstSpans"


class OtelTracer:
    """The tracer over a provider of OpenTelemetry."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("packhouse")

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[TraceSpan]:
        """Begin a span; its parent is the current one."""
        room = _room.get()
        if room is not None and not room.take():
            yield NO_SPAN
            return
        with self._begun(self._tracer.start_span(name, attributes=_named(attributes))) as begun:
            yield begun

    @contextmanager
    def request(self, method: str, received: SpanContext | None) -> Iterator[TraceSpan]:
        """Begin the span of a request, with the caller's span as parent."""
        parent = contexts.Context() if received is None else _remote(received)
        started = self._tracer.start_span(
            method, context=parent, kind=trace.SpanKind.SERVER, attributes={_METHOD: method}
        )
        with self._begun(started) as begun:
            yield begun

    @contextmanager
    def attempt(
        self, context: SpanContext, links: Sequence[SpanContext], **attributes: Attribute
    ) -> Iterator[TraceSpan]:
        """Begin the span of an attempt as a trace of its own."""
        room = _Room()
        ids, spans = _chosen_ids.set(context), _room.set(room)
        try:
            started = self._tracer.start_span(
                "run.attempt",
                context=contexts.Context(),
                attributes=_named(attributes),
                links=[trace.Link(_to_otel(each)) for each in links],
            )
        finally:
            _chosen_ids.reset(ids)
        try:
            with self._begun(started) as begun:
                yield begun
                if room.refused:
                    begun.note(left_out_spans=room.refused)
        finally:
            _room.reset(spans)

    def ended(self, name: str, seconds: float, **attributes: Attribute) -> None:
        """Record a span that ends now."""
        room = _room.get()
        if trace.get_current_span().is_recording() and (room is None or room.take()):
            now = time.time_ns()
            begun = now - round(seconds * _NANOSECONDS)
            self._tracer.start_span(name, start_time=begun, attributes=_named(attributes)).end(now)

    def note(self, **attributes: Attribute) -> None:
        """Add attributes to the current span."""
        trace.get_current_span().set_attributes(_named(attributes))

    def current(self) -> SpanContext | None:
        """Return the context of the current span; None without one."""
        found = trace.get_current_span().get_span_context()
        return SpanContext(found.trace_id, found.span_id, found.trace_flags.sampled) if found.is_valid else None

    @contextmanager
    def _begun(self, started: trace.Span) -> Iterator["_OtelSpan"]:
        """Make a span the current one, and end it; an error gives it its code, never its text."""
        token = contexts.attach(trace.set_span_in_context(started))
        try:
            yield _OtelSpan(self._tracer, started, time.time())
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:
            started.set_status(trace.StatusCode.ERROR, str(getattr(error, "code", type(error).__name__)))
            raise
        finally:
            contexts.detach(token)
            started.end()


class _OtelSpan:
    """A span, with the times between which its parts are; `ended_at` is None while it goes on."""

    def __init__(self, tracer: trace.Tracer, own: trace.Span, begun_at: float, ended_at: float | None = None) -> None:
        self._tracer = tracer
        self._own = own
        self._begun_at = begun_at
        self._ended_at = ended_at

    def note(self, **attributes: Attribute) -> None:
        """Add attributes."""
        self._own.set_attributes(_named(attributes))

    def answer(self, route: str, status: int) -> None:
        """Complete the span of a request."""
        if (method := getattr(self._own, "name", None)) is not None:
            self._own.update_name(f"{method} {route}")
        self._own.set_attributes({"http.route": route, "http.response.status_code": status})
        if status >= _ATTEMPT_ERROR:
            self._own.set_status(trace.StatusCode.ERROR, str(status))

    def part(self, name: str, begun_at: float, ended_at: float, **attributes: Attribute) -> TraceSpan:
        """Add a child that has ended, within the times of this span."""
        room = _room.get()
        if not self._own.is_recording() and self._ended_at is None:
            return NO_SPAN
        if room is not None and not room.take():
            return NO_SPAN
        last = time.time() if self._ended_at is None else self._ended_at
        begin = min(max(begun_at, self._begun_at), last)
        end = min(max(ended_at, begin), last)
        made = self._tracer.start_span(
            name,
            context=trace.set_span_in_context(self._own, contexts.Context()),
            start_time=round(begin * _NANOSECONDS),
            attributes=_named(attributes),
        )
        made.end(round(end * _NANOSECONDS))
        return _OtelSpan(self._tracer, made, begin, end)


@contextmanager
def exporting(process: str, version: str) -> Iterator[None]:
    """Export spans inside, to the endpoint of `OTEL_EXPORTER_OTLP_ENDPOINT`.

    Raises:
        ValueError: a variable has a value that the SDK refuses.
    """
    sampler = None if "OTEL_TRACES_SAMPLER" in os.environ else own_sampler()
    exporter = OTLPSpanExporter()
    processor = BatchSpanProcessor(exporter)
    with recording(processor, process=process, version=version, sampler=sampler, give_up=exporter.shutdown):
        yield


@contextmanager
def recording(
    processor: SpanProcessor,
    *,
    process: str,
    version: str,
    sampler: Sampler | None = None,
    give_up: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Give ended spans to a processor inside.

    Args:
        processor: takes them.
        process: which parts of Packhouse run here.
        version: Packhouse's.
        sampler: None for that of `OTEL_TRACES_SAMPLER`.
        give_up: called if the processor does not end within `GRACE_SECONDS`.
    """
    provider = TracerProvider(
        sampler=sampler, resource=_resource(process, version), id_generator=_Ids(), shutdown_on_exit=False
    )
    provider.add_span_processor(processor)
    try:
        with using(OtelTracer(provider)):
            yield
    finally:
        ending = threading.Thread(target=provider.shutdown, daemon=True)  # it may wait for the collector
        ending.start()
        ending.join(GRACE_SECONDS)
        if ending.is_alive():
            give_up()


def own_sampler() -> Sampler:
    """Return the sampler for deployments that choose none."""
    return ParentBased(_FirstSpans())


def _resource(process: str, version: str) -> Resource:
    own = Resource({"service.name": "packhouse", "service.version": version, "packhouse.process": process})
    return Resource.create().merge(own).merge(OTELResourceDetector().detect())


def _named(attributes: dict[str, Attribute]) -> dict[str, Attribute]:
    return {f"{_PREFIX}{name}": value for name, value in attributes.items()}


def _to_otel(given: SpanContext, *, is_remote: bool = True) -> trace.SpanContext:
    flags = trace.TraceFlags(trace.TraceFlags.SAMPLED if given.is_sampled else trace.TraceFlags.DEFAULT)
    return trace.SpanContext(given.trace_id, given.span_id, is_remote=is_remote, trace_flags=flags)


def _remote(received: SpanContext) -> contexts.Context:
    return trace.set_span_in_context(trace.NonRecordingSpan(_to_otel(received)), contexts.Context())
