"""Statements for Spark: whatever names and values say, what is parsed is one call with just these values.

The reader here goes by the rules of Spark's grammar and is not the writer's inverse; `tests/spark/test_native_sql.py`
has the same statements read by Spark itself.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import InvalidInput
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.spark import sql

TOKENS = re.compile(
    r"(?P<quoted>`(?:[^`]|``)*`)|(?P<raw>r\"[^\"]*\")|(?P<bytes>X'[0-9A-F]*')|(?P<text>'[^'\\]*')"
    r"|(?P<number>-?\d+)|(?P<word>\w+)|(?P<mark>=>|[.,()=])|(?P<space>[ ])"
)
HOSTILE = st.text(
    st.one_of(st.sampled_from("'\"`\\;-/*${}()[]=>,.%_ \n\t\0éx1"), st.characters(codec="utf-8")),
    min_size=1,
    max_size=40,
)
NAMES = HOSTILE.filter(lambda text: "${" not in text and not re.search(r"[\x00-\x1f\x7f]", text))
TESTS = st.builds(
    PartitionTest,
    column=st.lists(NAMES, min_size=1, max_size=2).map(tuple),
    type=st.just("string"),
    value=st.none() | HOSTILE | st.just(""),
    transform=st.none(),
)
TRANSFORMED = st.builds(replace, TESTS, transform=st.just("truncate"), argument=st.integers(1, 99))
TABLES = st.builds(SparkTable, catalog=NAMES, namespace=st.lists(NAMES, min_size=1, max_size=2).map(tuple), name=NAMES)


def read(statement: str) -> Iterator[tuple[str, str]]:
    """Yield kind and value of each token; a bytes literal in a cast is the text that it stands for."""
    at = 0
    while at < len(statement):
        found = TOKENS.match(statement, at)
        assert found, f"unreadable at {at}: {statement!r}"
        at, kind, text = found.end(), str(found.lastgroup), found[0]
        match kind:
            case "space":
                continue
            case "quoted":
                yield kind, text[1:-1].replace("``", "`")
            case "raw":
                yield "text", text[2:-1]
            case "bytes":
                yield "text", bytes.fromhex(text[2:-1]).decode()
            case "text":
                yield kind, text[1:-1]
            case _:
                yield kind, text


def without_casts(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the tokens with every `CAST(text AS TYPE)` as its text."""
    kept: list[tuple[str, str]] = []
    for token in tokens:
        kept.append(token)
        if token == ("mark", ")") and [t[0] for t in kept[-6:-1]] == ["word", "mark", "text", "word", "word"]:
            kept[-6:] = [kept[-4]]
    return kept


def marks(text: str) -> list[tuple[str, str]]:
    return list(read(text))


@given(table=TABLES, where=st.lists(TESTS | TRANSFORMED, max_size=3), threshold=st.integers(1, 2**31 - 1))
def test_u17_a_call_is_read_as_one_call_with_the_same_values(
    table: SparkTable, where: list[PartitionTest], threshold: int
) -> None:
    asked = ProcedureCall(
        "rewrite_data_files", table, tuple(where), {"delete-file-threshold": threshold, "rewrite-all": True}
    )
    statement = sql.call(asked)
    assert "${" not in statement
    found = without_casts(list(read(statement)))
    head = [("word", "CALL"), ("quoted", table.catalog), *marks(".system.rewrite_data_files(")]
    assert found[: len(head)] == head
    rest = iter(found[len(head) :])
    assert [next(rest), next(rest)] == [("word", "table"), ("mark", "=>")]
    named = [value for kind, value in read(next(rest)[1]) if kind == "quoted"]
    assert named == [table.catalog, *table.namespace, table.name]
    if where:
        assert [next(rest) for _ in range(3)] == [("mark", ","), ("word", "where"), ("mark", "=>")]
        assert list(parsed(without_casts(list(read(next(rest)[1]))), table.catalog)) == where
    options = marks(f", options => map('delete-file-threshold', '{threshold}', 'rewrite-all', 'true'))")
    assert list(rest) == options


def parsed(tokens: list[tuple[str, str]], catalog: str) -> Iterator[PartitionTest]:
    """Yield the tests of a predicate that is read already."""
    rest = [*tokens, ("word", "AND")]
    while rest:
        end = rest.index(("word", "AND"))
        one, rest = rest[:end], rest[end + 1 :]
        transform, argument = None, None
        if one[:3] == [("quoted", catalog), ("mark", "."), ("word", "system")]:
            assert one[3] == ("mark", ".")
            transform, argument = one[4][1], int(one[6][1])
            close = one.index(("mark", ")"))
            one = [*one[8:close], *one[close + 1 :]]
        is_null = one[-2:] == [("word", "IS"), ("word", "NULL")]
        value: Any = None if is_null else one[-1][1]
        column = tuple(v for k, v in one[:-2] if k == "quoted")
        yield PartitionTest(column, "string", value, transform, argument)


@given(text=HOSTILE)
def test_a_literal_is_its_text_and_nothing_more(text: str) -> None:
    found = without_casts(list(read(sql.literal(text, "string"))))
    assert found == [("text", text)]


@pytest.mark.parametrize("text", ["", "a${env:HOME}", "two\nlines", "nul\0", "\x7f"])
def test_a_name_that_spark_would_change_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="can't be written in SQL"):
        sql.name(text)


@pytest.mark.parametrize(
    ("procedure", "option", "value"),
    [
        ("rewrite_data_files", "x', 'y", 1),
        ("rewrite_data_files", "", 1),
        ("rewrite_data_files", "delete-ratio-threshold", float("nan")),
        ("rewrite_data_files", "delete-ratio-threshold", float("inf")),
        ("rewrite_data_files(table => 'other') --", "rewrite-all", True),
    ],
)
def test_procedures_and_options_are_words_with_finite_values(procedure: str, option: str, value: float) -> None:
    with pytest.raises(InvalidInput, match="is not"):
        sql.call(ProcedureCall(procedure, SparkTable("lake", ("a",), "b"), options={option: value}))


@pytest.mark.parametrize(
    ("text", "of"), [("1) OR (1=1", "int"), ("0", "int) --"), ("0G", "binary"), ("0", "array<int>")]
)
def test_a_value_never_leaves_its_literal(text: str, of: str) -> None:
    if of == "int":
        assert sql.literal(text, of) == "CAST('1) OR (1=1' AS INT)"
    else:
        with pytest.raises(InvalidInput):
            sql.literal(text, of)


def test_a_transform_is_one_of_icebergs_and_null_is_spelled_out() -> None:
    test = PartitionTest(("id",), "int", "1", "bucket(1, `id`) = 1 OR lake.system.bucket", 4)
    with pytest.raises(InvalidInput, match="has no function in Spark"):
        sql.predicate("lake", [test])
    where = [PartitionTest(("day",), "date", None), PartitionTest(("id",), "int", "3", "bucket", 16)]
    wanted = "`day` IS NULL AND `lake`.system.bucket(16, `id`) = CAST('3' AS INT)"
    assert sql.predicate("lake", where) == wanted
