"""What is kept of a report about a scan, whatever a client sends."""

from typing import Any

import pytest

from engine.domain.tables.scans import MOST_COLUMNS, Scan, scan_of

CITY = {"type": "eq", "term": "city", "value": "(hash-1f2a7c3b)"}
BUCKET = {"type": "in", "term": {"type": "transform", "transform": "bucket[16]", "term": "id"}, "values": [1, 2]}


@pytest.mark.parametrize(
    ("expression", "columns"),
    [
        (True, ()),
        (None, ()),
        (CITY, ("city",)),
        (BUCKET, ("id",)),
        ({"type": "not", "child": {"type": "is-null", "term": "at"}}, ("at",)),
        ({"type": "and", "left": CITY, "right": {"type": "or", "left": BUCKET, "right": CITY}}, ("city", "id")),
        ({"type": "eq", "term": {"type": "reference", "term": "a.b"}, "value": 1}, ("a.b",)),
        ("city", ()),
        ([CITY], ()),
        ({"type": "eq", "term": 7}, ()),
        ({"type": "eq", "term": ""}, ()),
        ({"type": "eq", "term": "a\nb"}, ()),
        ({"type": "eq", "term": "x" * 256}, ()),
        ({"left": {"left": {"left": CITY}}}, ("city",)),
    ],
)
def test_the_columns_of_a_filter_are_kept_and_no_values(expression: Any, columns: tuple[str, ...]) -> None:
    assert scan_of(expression, {}) == Scan(columns, 0, 0, 0)


def test_a_filter_on_more_columns_than_are_kept_is_told_from_one_on_none() -> None:
    expression: Any = True
    for number in range(MOST_COLUMNS + 1):
        expression = {"type": "and", "left": expression, "right": {"type": "eq", "term": f"c{number}"}}
    assert scan_of(expression, {}).columns is None
    assert len(scan_of(expression["left"], {}).columns or ()) == MOST_COLUMNS


def test_metrics_are_read_in_their_units_and_others_count_as_nothing() -> None:
    timer = {"count": 1, "time-unit": "nanoseconds", "total-duration": 84_000_000}
    counted = {"result-data-files": {"unit": "count", "value": 120}, "result-delete-files": {"value": 3}}
    assert scan_of(True, {**counted, "total-planning-duration": timer}) == Scan((), 120, 3, 84)
    for value in (-1, 2**60, 1.5, True, "7", None):
        assert scan_of(True, {"result-data-files": {"value": value}}).result_files == 0
    assert scan_of(True, {"result-data-files": [], "total-planning-duration": {"time-unit": "days"}}).planning_ms == 0
