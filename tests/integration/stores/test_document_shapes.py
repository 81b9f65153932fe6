"""Postgres refuses JSON of another shape: one such row would make every list with it fail."""

import json
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

_TEXTS: tuple[Any, ...] = ("x", 1, None, {}, [1], [["a"]], [None])
_TEXT_BY_NAME: tuple[Any, ...] = ("x", 1, None, [], {"a": 1}, {"a": ["b"]}, {"a": None})
_GRANT: dict[str, Any] = {"team": "red", "namespaces": ["*"], "rights": ["read"]}
SHAPES: dict[tuple[str, str], tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    ("catalogs", "properties"): (({}, {"a": "b"}), _TEXT_BY_NAME),
    ("catalogs", "allowed_locations"): (([], ["s3://a"]), _TEXTS),
    ("catalogs", "grants"): (
        ([], [_GRANT]),
        ("x", 1, {}, [1], [{}], *([_GRANT | wrong] for wrong in ({"team": 1}, {"rights": "x"}, {"namespaces": [1]}))),
    ),
    ("tables", "namespace"): ((["a"],), _TEXTS),
    ("tables", "labels"): (({}, {"a": "b"}), _TEXT_BY_NAME),
    ("policies", "document"): (({},), ("x", 1, [], None)),
    ("runs", "request"): (({},), ("x", 1, [], None)),
    ("runs", "result"): (({}, None), ("x", 1, [])),
    ("api_keys", "teams"): ((None, ["a"]), ("x", 1, {}, [1], [["a"]])),
    ("fleet", "limits"): (({},), ("x", 1, [], None)),
    ("audit", "before"): (({}, None), ("x", 1, [])),
    ("audit", "after"): (({}, None), ("x", 1, [])),
}


@pytest.mark.parametrize(("table", "column"), SHAPES)
def test_f33_a_row_with_json_of_another_shape_is_refused(postgres_url: str, table: str, column: str) -> None:
    """F33: what is wrong with one row concerns no list. Sound values get to the row's other constraints."""
    engine = create_engine(postgres_url)
    statement = text(f"INSERT INTO {table} ({column}) VALUES (CAST(:value AS {_type_of(column)}))")
    for values, is_refused in zip(SHAPES[table, column], (False, True), strict=True):
        for value in values:
            with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
                connection.execute(statement, {"value": json.dumps(value)})
            assert ("JSON of another shape" in str(caught.value)) is is_refused, value
    engine.dispose()


def _type_of(column: str) -> str:
    return "text" if column == "namespace" else "jsonb"
