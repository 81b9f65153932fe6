"""Which Paimon tables Packhouse compacts: by bucket mode, writers, columns and changelog; and the streams of these."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from engine.formats.base import Engine
from engine.formats.paimon.rewrite.conditions import NO_KERNEL
from engine.services.operations.tasks.waiting_groups import bundles
from engine.services.planning.engines import choose_engine
from tests.support.paimon.edits import edit_json
from tests.support.paimon.lakes import COLUMNS, PaimonLake
from tests.support.paimon.rewrites import compacted_by_packhouse, opened, planned
from tests.support.planning import policy_of

KEYS: Final = {"partition_keys": ["day"], "primary_keys": ["id", "day"]}
TURNS: Final = 3 if "PACKHOUSE_DEEP" in os.environ else 2
CHANGELOGS: Final = ("input", "lookup", "full-compaction")

pytestmark = pytest.mark.usefixtures("core_child")


def failed(lake: PaimonLake) -> dict[str, str]:
    """Return the conditions under which the core may not compact the table, by name."""
    found = opened(lake).engines[Engine.NATIVE].conditions()
    return {each.name: each.detail for each in found if not each.holds}


@pytest.mark.parametrize("producer", CHANGELOGS)
def test_p3_a_table_with_a_changelog_is_compacted_by_the_java_core_only(lake: PaimonLake, producer: str) -> None:
    lake.create(**KEYS, bucket="1", changelog_producer=producer, write_only="true")
    lake.write([[1, "a", 1.5]])
    chosen = choose_engine(opened(lake), policy_of({"rewrite": {"engine": "auto"}}))
    assert chosen.traits.name is Engine.NATIVE
    refused = choose_engine(opened(lake), policy_of({"rewrite": {"engine": "arrow"}}))
    assert not refused.is_possible
    assert NO_KERNEL in [each.detail for each in refused.conditions if not each.holds]


@pytest.mark.parametrize(
    ("producer", "has_begun"),
    [
        ("lookup", False),
        ("full-compaction", True),
        *(pytest.param(*each, marks=pytest.mark.deep) for each in (("input", False), ("input", True))),
        *(pytest.param(*each, marks=pytest.mark.deep) for each in (("lookup", True), ("full-compaction", False))),
    ],
)
def test_p3_readers_of_the_changelog_get_the_same_events(
    lake: PaimonLake, tmp_path: Path, producer: str, has_begun: bool
) -> None:
    """The same writes are compacted by Packhouse in one table, by the core alone in the other.

    `has_begun`: both tables were compacted by the core before.
    """
    twin = replace(lake, root=tmp_path / "twin")
    for each in (lake, twin):
        each.create(**KEYS, bucket="2", changelog_producer=producer, write_only="true")
    for turn in range(TURNS):
        for number in range(4):
            rows = [[key, day, turn + number / 10] for key in range(number, 20) for day in "ab"]
            kinds = "".join("D" if (key + turn) % 5 == 0 and number == 3 else "I" for key, _, _ in rows)
            for each in (lake, twin):
                each.write(rows, kinds=kinds)
        if has_begun and turn == 0:
            lake.compact()
        else:
            compacted_by_packhouse(lake, run_id=f"run_{turn}")
        twin.compact()
    events: list[Any] = lake.call("events")
    assert events == twin.call("events")
    assert {event[0] for event in events} >= {"+I", "-D"}
    assert lake.call("values") == twin.call("values")


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"bucket": "2", "write_only": "true"}, []),
        ({"bucket": "-1", "write_only": "true"}, []),
        ({"bucket": "2"}, ["native_one_compactor"]),
        ({"bucket": "-1"}, ["native_one_compactor"]),
        ({"bucket": "-2", "write_only": "true"}, ["native_bucket_mode"]),
    ],
    ids=["fixed", "dynamic", "fixed, writers compact", "dynamic, writers compact", "postponed"],
)
def test_p4_write_only_and_the_bucket_mode_decide_about_a_key_table(
    lake: PaimonLake, options: dict[str, str], reasons: list[str]
) -> None:
    """P4, P6: a table whose writers compact too is refused with the option to set."""
    lake.create(**KEYS, **options)
    assert list(failed(lake)) == reasons
    if reasons == ["native_one_compactor"]:
        assert failed(lake)[reasons[0]] == "writers compact too: set the table option write-only"


def test_p4_keys_that_move_between_partitions(lake: PaimonLake) -> None:
    """P4, P6: the bucket mode is named, and those that are compacted."""
    lake.create(partition_keys=["day"], primary_keys=["id"], bucket="-1", write_only="true")
    (detail,) = failed(lake).values()
    assert detail == "cross_partition; compacted are fixed and dynamic ones of tables with a primary key"


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"bucket": "-1"}, []),
        ({"bucket": "-1", "deletion_vectors__enabled": "true"}, []),
        ({"bucket": "2", "bucket_key": "id", "write_only": "true"}, []),
        (
            {"bucket": "2", "bucket_key": "id", "write_only": "true", "deletion_vectors__enabled": "true"},
            ["native_vectors_of_files"],
        ),
    ],
    ids=["without buckets", "without buckets, vectors", "buckets", "buckets, vectors"],
)
def test_p4_p6_append_tables_are_compacted_but_for_those_whose_buckets_have_vectors(
    lake: PaimonLake, options: dict[str, str], reasons: list[str]
) -> None:
    lake.create(**options)
    assert list(failed(lake)) == reasons


def test_p6_a_column_of_type_blob_is_named_as_a_reason(lake: PaimonLake) -> None:
    lake.create(bucket="-1")
    fields = [{"id": at, "name": name, "type": kind} for at, (name, kind) in enumerate(COLUMNS)]
    schema = lake.folder / "schema" / "schema-0"
    edit_json(
        schema, fields=[*fields, {"id": len(fields), "name": "picture", "type": "BLOB"}], highestFieldId=len(fields)
    )
    assert failed(lake) == {"native_no_blobs": "columns of type BLOB, whose files are not compacted: picture"}


def test_u17_m10_m11_deltas_become_a_base_and_later_ones_a_new_base_of_each_bucket(lake: PaimonLake) -> None:
    """A full compaction keeps the newest row of each key and drops deleted ones, with the rows that delete them.

    F9: the content is compared by key, so that another value than the newest one would be found.
    """
    lake.create(**KEYS, bucket="1", write_only="true")
    bases = []
    for turn in range(2):
        for number in range(3):
            rows = [[key, day, turn + number / 10] for key in range(6) for day in "ab"]
            lake.write(rows, kinds="".join("D" if key == turn and number == 2 else "I" for key, _, _ in rows))
        proof = compacted_by_packhouse(lake, run_id=f"run_{turn}")
        files = opened(lake)._view.live.files.to_pylist()
        assert [(each["level"], each["delete_row_count"], each["record_count"]) for each in files] == [(5, 0, 5)] * 2
        wanted = [[key, day, turn + 0.2] for key in range(6) for day in "ab" if key != turn]
        assert lake.call("values") == sorted(wanted, key=str)
        assert (proof.removed_files, proof.removed_rows) == ((6, 36), (8, 46))[turn]
        bases.append({each["name"] for each in files})
    assert bases[0].isdisjoint(bases[1])


def test_p15_buckets_with_more_files_of_level_0_are_rewritten_first(lake: PaimonLake) -> None:
    """In the order of lanes, although the other bucket has more bytes and the first place in the plan."""
    lake.create(**KEYS, bucket="1", write_only="true")
    for turn in range(6):
        lake.write(
            [[key, day, turn] for day, rows in (("a", 3000), ("b", 5)) for key in range(rows) if turn or day > "a"]
        )
    groups = [group for group, _ in planned(opened(lake), full=False)]
    assert [(each.partition, each.level0_file_count) for each in groups] == [('{"day":"a"}', 5), ('{"day":"b"}', 6)]
    assert groups[0].input_bytes > groups[1].input_bytes
    assert [each.partition for bundle in bundles(groups, 1) for each in bundle] == ['{"day":"b"}', '{"day":"a"}']


@pytest.mark.parametrize(
    ("options", "hides"),
    [
        ({}, False),
        ({"changelog_producer": "lookup"}, False),
        ({"deletion_vectors__enabled": "true"}, True),
        ({"merge_engine": "first-row"}, True),
    ],
)
def test_p15_readers_of_vectors_and_first_rows_skip_level_0(
    lake: PaimonLake, options: dict[str, str], hides: bool
) -> None:
    lake.create(**KEYS, bucket="1", write_only="true", **options)
    lake.write([[1, "a", 1.5]])
    assert (lake.call("values") == []) is hides
    assert opened(lake).figures().hides_level0 is hides
