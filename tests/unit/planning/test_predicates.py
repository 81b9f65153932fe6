"""Which partitions a predicate selects, and which predicates do not fit a table."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, TypeAdapter, ValidationError

from engine.domain.errors import InvalidInput
from engine.domain.tables.predicates import PartitionPredicate, check_size, document
from engine.planning.plans.predicates import PartitionSpecFields, SpecField, check_predicate, select_partitions
from tests.support.digests import DigestFile, digest_of

ADAPTER: TypeAdapter[PartitionPredicate] = TypeAdapter(Annotated[PartitionPredicate, AfterValidator(check_size)])


def whole(value: Any) -> int:
    if type(value) is not int:
        message = f"{value!r} is not a whole number"
        raise ValueError(message)
    return value


def spec(spec_id: int, *fields: tuple[str, str]) -> PartitionSpecFields:
    made = tuple(
        SpecField(at, column, transform, "int", whole if transform != "bucket[4]" else lambda v: whole(v) % 4)
        for at, (column, transform) in enumerate(fields)
    )
    return PartitionSpecFields(spec_id, made, lambda text: list(json.loads(text).values()))


BY_A = spec(0, ("a", "identity"))
BY_A_AND_B = spec(1, ("a", "identity"), ("b", "bucket[4]"))
NOTHING = spec(2)


def selected(predicate: Any, values: Sequence[Any], *specs: PartitionSpecFields, spec_id: int = 0) -> list[Any]:
    files = [DigestFile(1, partition=json.dumps({"p": value}), spec_id=spec_id) for value in values]
    kept = select_partitions(digest_of(files), ADAPTER.validate_python(predicate), specs or (BY_A,))
    return [json.loads(text)["p"] for text in kept["partition"].to_pylist()]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ({"column": "a", "op": "eq", "value": 2}, [2]),
        ({"column": "a", "op": "ne", "value": 2}, [1, 3, None]),
        ({"column": "a", "op": "lt", "value": 2}, [1]),
        ({"column": "a", "op": "le", "value": 2}, [1, 2]),
        ({"column": "a", "op": "gt", "value": 2}, [3]),
        ({"column": "a", "op": "ge", "value": 2}, [2, 3]),
        ({"column": "a", "op": "in", "values": [1, 3, 9]}, [1, 3]),
        ({"column": "a", "op": "not_in", "values": [1, 3]}, [2, None]),
        ({"column": "a", "op": "is_null"}, [None]),
        ({"column": "a", "op": "is_not_null"}, [1, 2, 3]),
        ({"not": {"column": "a", "op": "lt", "value": 2}}, [2, 3, None]),
        ({"and": [{"column": "a", "op": "gt", "value": 1}, {"column": "a", "op": "lt", "value": 3}]}, [2]),
        ({"or": [{"column": "a", "op": "eq", "value": 1}, {"column": "a", "op": "is_null"}]}, [1, None]),
    ],
)
def test_every_comparison_selects_what_it_says(predicate: Any, expected: list[Any]) -> None:
    assert selected(predicate, [1, 2, 3, None]) == expected


def test_every_file_of_a_selected_partition_is_taken_after_the_transform_of_its_value() -> None:
    assert selected({"column": "a", "op": "eq", "value": 2}, [2, 1, 2, 2]) == [2, 2, 2]
    assert selected({"column": "a", "op": "is_null"}, []) == []
    by_bucket = spec(0, ("b", "bucket[4]"))
    assert selected({"column": "b", "op": "eq", "value": 7}, [0, 1, 2, 3], by_bucket) == [3]
    both = spec(0, ("ts", "day"), ("ts", "hour"))
    field = both.find("ts")
    assert field.transform == "hour"


def test_files_of_a_spec_that_can_not_be_judged_are_not_selected_not_even_by_the_opposite() -> None:
    files = [DigestFile(1, partition='{"p":1}'), DigestFile(1, partition="{}", spec_id=2)]
    predicate = ADAPTER.validate_python({"column": "a", "op": "ge", "value": 0})
    kept = select_partitions(digest_of(files), predicate, (BY_A, NOTHING))
    assert kept["spec_id"].to_pylist() == [0]
    files = [DigestFile(1, partition="{}", spec_id=2)]
    predicate = ADAPTER.validate_python({"not": {"column": "a", "op": "eq", "value": 0}})
    assert select_partitions(digest_of(files), predicate, (BY_A, NOTHING)).num_rows == 0


def refused(predicate: Any, *specs: PartitionSpecFields) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as caught:
        check_predicate(ADAPTER.validate_python(predicate), specs, ["a", "b", "c"], pointer="/partitions")
    return [(problem.pointer, problem.message) for problem in caught.value.problems]


def test_a_column_that_is_absent_or_no_partition_source_is_refused_as_is_an_unpartitioned_table() -> None:
    assert refused({"column": "c", "op": "is_null"}, BY_A) == [
        ("/partitions/column", "no partition spec of the table partitions by this column")
    ]
    predicate = {"and": [{"column": "a", "op": "is_null"}, {"not": {"column": "z", "op": "is_null"}}]}
    assert refused(predicate, BY_A) == [("/partitions/and/1/not/column", "the table has no such column")]
    [(pointer, message)] = refused({"column": "a", "op": "is_null"}, NOTHING)
    assert pointer == "/partitions/column"
    assert message.startswith("the table is not partitioned (spec 2)")


def test_buckets_have_no_order_and_every_value_of_another_type_is_named() -> None:
    assert refused({"column": "b", "op": "lt", "value": 1}, BY_A_AND_B) == [
        ("/partitions/op", "b is partitioned by bucket[4], which has no order")
    ]
    found = refused({"column": "a", "op": "in", "values": [1, "x", True]}, BY_A)
    assert found == [
        ("/partitions/values/1", "'x' is not a whole number"),
        ("/partitions/values/2", "True is not a whole number"),
    ]


@pytest.mark.parametrize(
    "predicate",
    [
        {"column": "a", "op": "eq"},
        {"column": "a", "op": "eq", "values": [1]},
        {"column": "a", "op": "in", "value": 1},
        {"column": "a", "op": "in", "values": []},
        {"column": "a", "op": "is_null", "value": 1},
        {"column": "a", "op": "like", "value": "x"},
        {"column": "", "op": "is_null"},
        {"column": "a", "op": "eq", "value": {"sql": "1=1"}},
        {"column": "a", "op": "eq", "value": "x\x00"},
        {"column": "a", "op": "eq", "value": float("inf")},
        {"column": "a", "op": "in", "values": ["a"] * 501},
        {"and": []},
        {"and": [{"column": "a", "op": "is_null"}], "or": []},
        "a = 1",
        None,
        [],
    ],
)
def test_what_is_no_predicate_is_refused(predicate: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(predicate)


def nested(depth: int) -> Any:
    predicate: Any = {"column": "a", "op": "is_null"}
    for _ in range(depth - 1):
        predicate = {"not": predicate}
    return predicate


def test_depth_and_values_are_bounded() -> None:
    ADAPTER.validate_python(nested(8))
    with pytest.raises(ValidationError, match="9 levels deep"):
        ADAPTER.validate_python(nested(9))
    halves = [{"column": "a", "op": "in", "values": list(range(count))} for count in (250, 251)]
    with pytest.raises(ValidationError, match="501 values"):
        ADAPTER.validate_python({"or": halves})


_LEAVES = st.one_of(
    st.builds(
        lambda op, value: {"column": "a", "op": op, "value": value},
        st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
        st.integers(-3, 3),
    ),
    st.builds(lambda op: {"column": "a", "op": op}, st.sampled_from(["is_null", "is_not_null"])),
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda part: {"not": part}, inner),
        st.builds(
            lambda word, parts: {word: parts}, st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=3)
        ),
    ),
    max_leaves=8,
)


@given(_TREES.filter(lambda tree: len(json.dumps(tree)) < 400))
def test_a_predicate_and_its_opposite_share_out_all_partitions(tree: Any) -> None:
    values = [-2, -1, 0, 1, 2, None]
    try:
        ADAPTER.validate_python({"not": tree})
    except ValidationError:
        return  # too deep
    chosen, others = selected(tree, values), selected({"not": tree}, values)
    assert len(chosen) + len(others) == len(values)
    assert {*map(str, chosen), *map(str, others)} == set(map(str, values))


@given(_TREES)
def test_a_predicate_is_the_same_after_writing_and_reading_it(tree: Any) -> None:
    try:
        predicate = ADAPTER.validate_python(tree)
    except ValidationError:
        return
    assert document(predicate) == tree
    assert ADAPTER.validate_json(json.dumps(document(predicate))) == predicate
