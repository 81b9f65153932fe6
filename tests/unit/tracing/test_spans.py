"""Trace contexts as strangers send them, sampling, and the bounds of spans."""

import time

import pytest

from engine.tracing import spans
from engine.tracing.contexts import SpanContext
from engine.tracing.otel import MOST_SPANS, READS_SAMPLED
from tests.support.traces import kept_spans

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
VALID = f"00-{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        (VALID, VALID),
        (f"00-{TRACE}-{SPAN}-00", f"00-{TRACE}-{SPAN}-00"),
        (f"00-{TRACE}-{SPAN}-ff", VALID),  # unknown flags are not passed on
        (None, None),
        ("", None),
        (f"01-{TRACE}-{SPAN}-01", None),
        (f"ff-{TRACE}-{SPAN}-01", None),
        (f"00-{TRACE.upper()}-{SPAN}-01", None),
        (f"00-{'0' * 32}-{SPAN}-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (f"{VALID}-more", None),
        (f"{VALID}\n", None),
        (f" {VALID}", None),
        (f"00-{TRACE[:-1]}٣-{SPAN}-01", None),  # a digit of another script
        (f"00-{TRACE[:-2]}\r\n-{SPAN}-01", None),
        ("0" * 100_000, None),
    ],
)
def test_a_caller_s_context_is_taken_only_as_the_specification_has_it(header: str | None, kept: str | None) -> None:
    found = SpanContext.parse(header)
    assert (None if found is None else str(found)) == kept
    with spans.request("POST", header):
        assert spans.traceparent() == kept  # kept for runs, also while nothing is recorded
    assert spans.traceparent() is None


def test_every_process_has_the_same_ids_for_an_attempt() -> None:
    assert str(SpanContext.of_attempt("run_1", 1)) == "00-bcf8b9200454ecc5ae25f9c7d23ad807-62130b66f95705ad-01"
    assert len({SpanContext.of_attempt(run, number) for run in ("run_1", "run_2") for number in (1, 2)}) == 4


@pytest.mark.parametrize(("method", "most"), [("GET", 0.1), ("POST", 1.0)])
def test_few_reads_are_recorded_and_every_write(method: str, most: float) -> None:
    with kept_spans() as kept:
        for _ in range(500):
            with spans.request(method, None) as span:
                span.answer("/v1/runs", 200)
    recorded = len(kept.named(f"{method} /v1/runs")) / 500
    assert (recorded == 1.0) if most == 1.0 else (recorded < most)
    assert READS_SAMPLED < 0.1


@pytest.mark.parametrize(("flags", "recorded"), [("01", 1), ("00", 0)])
def test_the_caller_decides_about_its_own_trace(flags: str, recorded: int) -> None:
    with kept_spans() as kept, spans.request("GET", f"00-{TRACE}-{SPAN}-{flags}"), spans.span("inside"):
        pass
    assert len(kept.named("inside")) == recorded


def test_parts_are_clipped_to_the_span_that_has_them() -> None:
    """Clocks of executors may be a day off."""
    with kept_spans() as kept, spans.span("operation") as operation:
        now = time.time()
        group = operation.part("group", now - 86_400, now + 86_400, group=1)
        group.part("read", now + 90_000, now + 90_001)
        group.part("write", now - 90_001, now - 90_000)
    [whole] = kept.named("operation")
    for part in (each for each in kept.all if each.name != "operation"):
        assert whole.begun - 0.001 <= part.begun <= part.ended <= whole.ended


def test_an_attempt_has_a_bounded_number_of_spans() -> None:
    with kept_spans() as kept, spans.attempt("run_1", 1, None), spans.span("spark.operation") as operation:
        for number in range(MOST_SPANS + 10):
            operation.part("group", time.time(), time.time(), group=number)
    [attempt] = kept.named("run.attempt")
    assert len(kept.named("group")) == MOST_SPANS - 1
    assert attempt.attributes["packhouse.left_out_spans"] == 11


def test_quick_calls_have_no_span() -> None:
    with kept_spans() as kept, spans.span("look"):
        with spans.slow("catalog.call", catalog="lake"):
            pass
        spans.ended("sql", time.monotonic() - 0.2, statement="SELECT")
    assert [each.name for each in kept.all] == ["sql", "look"]
    [sql, look] = kept.all
    assert (sql.parent, round(sql.ended - sql.begun, 1)) == (look.id, 0.2)


def test_an_error_marks_a_span_by_its_name_only() -> None:
    def fail() -> None:
        with spans.span("commit"):
            raise OSError("s3://key:secret@bucket")

    with kept_spans() as kept, pytest.raises(OSError, match="s3"):
        fail()
    [span] = kept.exporter.get_finished_spans()
    assert (span.status.description, list(span.events)) == ("OSError", [])
