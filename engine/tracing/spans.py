"""The one place through which code begins spans; it does nothing until a tracer is set.

    with span("plan"):
        ...

A span inside another one is its child. Attributes are ids and counts: never values of a table, secrets, paths or SQL.
An error that leaves a span marks it with the error's code, without its text. The tracer is one for each process, as
are the environment variables that configure it.
"""

import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from engine.tracing.contexts import SpanContext

SLOW_SECONDS: Final = 0.05
"""Calls of the database and of catalogs that take less have no span."""

Attribute = str | int | float
P = ParamSpec("P")
T = TypeVar("T")


class TraceSpan(Protocol):
    """A span that has begun."""

    def note(self, **attributes: Attribute) -> None:
        """Add attributes; `packhouse.` precedes their names."""

    def answer(self, route: str, status: int) -> None:
        """Complete the span of a request: its route template, and the status of its answer."""

    def part(self, name: str, begun_at: float, ended_at: float, **attributes: Attribute) -> "TraceSpan":
        """Add a child that has ended, and return it.

        Args:
            name: its name.
            begun_at: Unix time by the clock of another machine; times outside of this span are clipped.
            ended_at: the same.
            attributes: as in `note`.
        """


class Tracer(Protocol):
    """Makes spans."""

    def span(self, name: str, **attributes: Attribute) -> AbstractContextManager[TraceSpan]:
        """Begin a span; its parent is the current one."""

    def request(self, method: str, received: SpanContext | None) -> AbstractContextManager[TraceSpan]:
        """Begin the span of a request, with the caller's span as parent."""

    def attempt(
        self, context: SpanContext, links: Sequence[SpanContext], **attributes: Attribute
    ) -> AbstractContextManager[TraceSpan]:
        """Begin the span of an attempt as a trace of its own."""

    def ended(self, name: str, seconds: float, **attributes: Attribute) -> None:
        """Record a span that ends now."""

    def note(self, **attributes: Attribute) -> None:
        """Add attributes to the current span."""

    def current(self) -> SpanContext | None:
        """Return the context of the current span; None without one."""


class _NoSpan:
    def note(self, **attributes: Attribute) -> None:
        """Do nothing."""

    def answer(self, route: str, status: int) -> None:
        """Do nothing."""

    def part(self, name: str, begun_at: float, ended_at: float, **attributes: Attribute) -> TraceSpan:  # noqa: ARG002
        """Return itself."""
        return self


NO_SPAN: Final[TraceSpan] = _NoSpan()
_NOTHING: Final = nullcontext(NO_SPAN)
_received: Final[ContextVar[SpanContext | None]] = ContextVar("received", default=None)


class NoTracer:
    """Records nothing. What a caller sent is kept while its request is served, for the runs that it submits."""

    def span(self, name: str, **attributes: Attribute) -> AbstractContextManager[TraceSpan]:  # noqa: ARG002
        """Return a context that does nothing."""
        return _NOTHING

    @contextmanager
    def request(self, method: str, received: SpanContext | None) -> Iterator[TraceSpan]:  # noqa: ARG002
        """Keep the context of the caller."""
        token = _received.set(received)
        try:
            yield NO_SPAN
        finally:
            _received.reset(token)

    def attempt(
        self,
        context: SpanContext,  # noqa: ARG002
        links: Sequence[SpanContext],  # noqa: ARG002
        **attributes: Attribute,  # noqa: ARG002
    ) -> AbstractContextManager[TraceSpan]:
        """Return a context that does nothing."""
        return _NOTHING

    def ended(self, name: str, seconds: float, **attributes: Attribute) -> None:
        """Do nothing."""

    def note(self, **attributes: Attribute) -> None:
        """Do nothing."""

    def current(self) -> SpanContext | None:
        """Return the context of the caller."""
        return _received.get()


_OFF: Final[Tracer] = NoTracer()
_used: list[Tracer] = [_OFF]
"""The tracer of this process: the last one."""


@contextmanager
def using(tracer: Tracer) -> Iterator[None]:
    """Use a tracer inside."""
    _used.append(tracer)
    try:
        yield
    finally:
        _used.remove(tracer)


def is_on() -> bool:
    """Return whether spans are recorded, for hooks that would cost something otherwise."""
    return _used[-1] is not _OFF


def span(name: str, **attributes: Attribute) -> AbstractContextManager[TraceSpan]:
    """Begin a span; its parent is the current one."""
    return _used[-1].span(name, **attributes)


def traced(name: str) -> Callable[[Callable[P, Coroutine[Any, Any, T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Return a decorator that makes each call of an asynchronous function a span."""

    def decorate(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        @wraps(function)
        async def call(*args: P.args, **kwargs: P.kwargs) -> T:
            with _used[-1].span(name):
                return await function(*args, **kwargs)

        return call

    return decorate


def request(method: str, traceparent: str | None) -> AbstractContextManager[TraceSpan]:
    """Begin the span of a request with this `traceparent` header."""
    return _used[-1].request(method, SpanContext.parse(traceparent))


def attempt(
    run_id: str, number: int, submitted: str | None, **attributes: Attribute
) -> AbstractContextManager[TraceSpan]:
    """Begin the trace of an attempt, linked to the span that submitted its run and to the attempt before.

    Args:
        run_id: the run.
        number: the attempt's number, from 1.
        submitted: the `traceparent` that the run keeps; None for none.
        attributes: as in `TraceSpan.note`.
    """
    before = [SpanContext.of_attempt(run_id, number - 1)] if number > 1 else []
    request_span = SpanContext.parse(submitted)
    links = [*([] if request_span is None else [request_span]), *before]
    context = SpanContext.of_attempt(run_id, number)
    return _used[-1].attempt(context, links, run_id=run_id, attempt=number, **attributes)


@contextmanager
def slow(name: str, **attributes: Attribute) -> Iterator[None]:
    """Record a span of what is done inside if it takes longer than `SLOW_SECONDS`."""
    begun = time.monotonic()
    try:
        yield
    finally:
        ended(name, begun, **attributes)


def ended(name: str, begun: float, **attributes: Attribute) -> None:
    """Record a span that ends now if it took longer than `SLOW_SECONDS`; `begun` is of `time.monotonic`."""
    if (seconds := time.monotonic() - begun) >= SLOW_SECONDS:
        _used[-1].ended(name, seconds, **attributes)


def note(**attributes: Attribute) -> None:
    """Add attributes to the current span."""
    _used[-1].note(**attributes)


def traceparent() -> str | None:
    """Return the current span as a `traceparent` header: what a run or another program is told; None without one."""
    current = _used[-1].current()
    return None if current is None else str(current)


def headers() -> dict[str, str]:
    """Return the header that tells the current span to another server; none while no spans are recorded."""
    return {"traceparent": own} if is_on() and (own := traceparent()) is not None else {}


def log_fields() -> dict[str, str]:
    """Return the fields that connect a log line with the current span; none while no spans are recorded."""
    current = _used[-1].current() if is_on() else None
    return {} if current is None else {"trace_id": f"{current.trace_id:032x}", "span_id": f"{current.span_id:016x}"}
