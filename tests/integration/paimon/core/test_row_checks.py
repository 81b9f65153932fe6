"""The rows of the core's compactions are compared before the commit: no false alarm, and no wrong merge is missed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from engine.formats.paimon.task import compaction
from engine.formats.paimon.task.checks import ComparedRows, compare_rows
from engine.formats.paimon.task.contract import CoreTask, MergeRules
from engine.formats.paimon.task.tables import Compacted
from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.storage.transfer import Transfer
from tests.integration.paimon.test_kernel import NESTED, SCALARS, Columns
from tests.support.paimon.compactions import HEAP, Commits, compact, paths
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.rewrites import opened, planned

pytestmark = pytest.mark.usefixtures("core_child")

COLUMNS = [("id", "BIGINT NOT NULL"), ("at", "INT"), ("other", "BIGINT"), ("word", "STRING"), ("value", "DOUBLE")]
KEYS_ONLY = "only keys and sequence numbers are compared, no values: merge engine"


def checked_tasks(lake: PaimonLake, *, full: bool = True, trigger: int = 2) -> list[CoreTask]:
    rewrite = {"key_tables": {"sorted_run_trigger": trigger}}
    made = [task for _, task in planned(opened(lake), full=full, rewrite=rewrite, checks_rows=True)]
    return [replace(each, heap_bytes=HEAP) for each in made if isinstance(each, CoreTask)]


def compacted(lake: PaimonLake) -> GroupResult:
    """Compact the only bucket of a table."""
    (task,) = checked_tasks(lake)
    return compact(task)


def random_rows(chance: Random, number: int, count: int = 60) -> list[list[Any]]:
    return [
        [
            chance.randrange(40),
            chance.choice([None, *range(9)]),
            chance.choice([None, number, -number]),
            chance.choice([None, "", "a", "ü" * 9]),
            chance.choice([None, 0.0, -0.0, float("nan"), chance.random()]),
        ]
        for _ in range(count)
    ]


KINDS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "deduplicate": ({}, "IID"),
    "by a field": ({"sequence.field": "at"}, "IID"),
    "by two fields": ({"sequence.field": "at,other"}, "IID"),
    "descending": ({"sequence.field": "at", "sequence.field.sort-order": "descending"}, "IID"),
    "ignored deletes": ({"ignore-delete": "true"}, "IID"),
    "first row": ({"merge-engine": "first-row"}, "I"),
    "vectors": ({"deletion-vectors.enabled": "true"}, "IID"),
    "vectors, by a field": ({"deletion-vectors.enabled": "true", "sequence.field": "at"}, "IID"),
    "lookup": ({"changelog-producer": "lookup"}, "IID"),
    "lookup, by a field": ({"changelog-producer": "lookup", "sequence.field": "other"}, "IID"),
    "full changelog": ({"changelog-producer": "full-compaction"}, "IID"),
    "thin files": ({"data-file.thin-mode": "true"}, "IID"),
    "partial update": ({"merge-engine": "partial-update", "partial-update.remove-record-on-delete": "true"}, "IID"),
    "aggregation": ({"merge-engine": "aggregation", "fields.value.aggregate-function": "sum"}, "I"),
    "ORC": ({"file.format": "orc", "sequence.field": "at"}, "IID"),
}


SMOKE: Final = ("deduplicate", "by a field", "first row", "vectors", "aggregation", "ORC")
"""The kinds that are played without a deep run: one for each rule of the comparison."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "kind", [pytest.param(each, marks=() if each in SMOKE else pytest.mark.deep) for each in KINDS]
)
def test_no_compaction_of_the_core_is_called_wrong(lake: PaimonLake, kind: str) -> None:
    """Random histories with minor and full compactions, whose rows are compared each time."""
    options, letters = KINDS[kind]
    chance = Random(kind)
    create(lake, options)
    seen: list[GroupResult] = []
    for number in range(1, 13):
        rows = random_rows(chance, number)
        lake.write(rows, kinds="".join(chance.choice(letters) for _ in rows))
        if chance.random() < 0.6:
            before = lake.call("values")
            results = [compact(each) for each in checked_tasks(lake, full=chance.random() < 0.3)]
            results = [each for each in results if not (each.reason or "").startswith("nothing_to_do")]
            assert [each.outcome for each in results] == ["written"] * len(results), results
            if results:
                Commits(lake.folder, user=f"packhouse-{number}").commit(*results)
            if kind not in ("vectors", "vectors, by a field", "first row"):
                assert repr(lake.call("values")) == repr(before)
            seen += results
    compared = [each for each in seen if each.row_digest]
    assert len(compared) > 1
    is_limited = KINDS[kind][0].get("merge-engine") in ("partial-update", "aggregation")
    assert all(each.check_limit.startswith(KEYS_ONLY) for each in compared) or not is_limited
    assert is_limited or not any(each.check_limit for each in compared)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "kind",
    [
        "deduplicate",
        *(pytest.param(each, marks=pytest.mark.deep) for each in ("by a field", "first row", "vectors", "lookup")),
        pytest.param("aggregation", marks=pytest.mark.deep),
    ],
)
def test_rows_of_writers_without_a_common_sequence_are_not_called_wrong(lake: PaimonLake, kind: str) -> None:
    """Two writers give their rows of one key the same sequence number: either may be kept."""
    options, _ = KINDS[kind]
    chance = Random(kind)
    create(lake, options)
    compared = 0
    for number in range(1, 9):
        lake.call("write_at_once", rows=[random_rows(chance, number, 30) for _ in range(chance.randrange(1, 4))])
        if chance.random() < 0.7:
            results = [compact(each) for each in checked_tasks(lake, full=chance.random() < 0.3)]
            results = [each for each in results if not (each.reason or "").startswith("nothing_to_do")]
            assert [each.outcome for each in results] == ["written"] * len(results), results
            if results:
                Commits(lake.folder, user=f"packhouse-{number}").commit(*results)
            compared += sum(bool(each.row_digest) for each in results)
    assert compared > 1


def types_of(columns: Columns, *, not_null: bool) -> list[tuple[str, Any]]:
    return [(name, f"{kind} NOT NULL" if not_null else kind) for name, (kind, _) in columns.items()]


SMOKE_KEYS: Final = ("whole", "text", "bytes", "micros", "longest")
"""The keys that are tried without a deep run: one for each form in which values are stored. Values have every type."""


IN_NANOSECONDS: Final = ("TIMESTAMP(6)", ["1677-09-22T00:00:00.000001", "2262-04-11T23:47:16.854775"])
"""The first and the last times, about, that Arrow's reader of ORC has values for."""


@pytest.mark.parametrize("file_format", ["parquet", "orc"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in SMOKE_KEYS else pytest.mark.deep)
        for name in SCALARS
        if name not in ("real", "double")
    ],
)
def test_no_type_of_a_key_or_value_is_a_false_alarm(lake: PaimonLake, name: str, file_format: str) -> None:
    """Tables with a key of each type, and values of every type, of which some are null."""
    scalars = SCALARS | ({"micros": IN_NANOSECONDS} if file_format == "orc" else {})
    key, values = {name: scalars[name]}, {each: of for each, of in {**scalars, **NESTED}.items() if each != name}
    columns = [*types_of(key, not_null=True), *types_of(values, not_null=False)]
    options = {"bucket": "1", "write-only": "true", "file.format": file_format}
    lake.call("create", columns=columns, partition_keys=[], primary_keys=[name], options=options)
    chance = Random(name)
    for _ in range(4):
        rows = [
            [chance.choice(key[name][1]), *(chance.choice([None, *of]) for _, of in values.values())] for _ in range(6)
        ]
        lake.write(rows, kinds="".join(chance.choice("IIID") for _ in rows))
    result = compacted(lake)
    limit = "values of columns that are not compared, for their types: fixed" if file_format == "orc" else ""
    is_compared = not limit or name != "fixed"
    if not is_compared:
        limit = "not compared: the key column fixed has a type that is not compared"
    assert (result.outcome, result.reason, result.check_limit) == ("written", None, limit)
    assert bool(result.row_digest) is is_compared


def test_keys_of_floating_point_numbers_are_reported_as_not_compared(lake: PaimonLake) -> None:
    """Writer and reader of the core lose rows beside NaN: it orders keys by less than and greater than only."""
    columns = [("key", "DOUBLE NOT NULL"), ("value", "INT")]
    options = {"bucket": "1", "write-only": "true"}
    lake.call("create", columns=columns, partition_keys=[], primary_keys=["key"], options=options)
    for number in range(2):
        lake.write([[1.0, number], ["NaN", number], [2.0, number]])
    assert len(lake.call("values")) == 2
    result = compacted(lake)
    assert (result.outcome, result.row_digest) == ("written", "")
    assert result.check_limit == (
        "not compared: the key column key is of type DOUBLE NOT NULL: the core takes NaN for equal to all"
    )


def create(lake: PaimonLake, options: Mapping[str, str]) -> None:
    given = {"bucket": "1", "write-only": "true", **options}
    lake.call("create", columns=COLUMNS, partition_keys=[], primary_keys=["id"], options=given)


def filled(lake: PaimonLake, options: Mapping[str, str], commits: int = 4) -> PaimonLake:
    """Commit each time the rows of ten ids, four of them those of the commit before."""

    def make(made: PaimonLake) -> None:
        create(made, options)
        for number in range(commits):
            made.write([[each + 6 * number, 9 - number, number, "a", float(number)] for each in range(10)])

    return made_once(lake.core, lake.root, f"{commits} commits of ten ids {options}", make)


def tamper(monkeypatch: pytest.MonkeyPatch, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the core's outputs between its compaction and the comparison."""

    def tampered(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
        after = []
        for one in compacted.after:
            path = Path(one.path.removeprefix("file:"))
            if path.suffix == ".orc":
                table = change(orc.read_table(path))
                orc.write_table(table, path)
            else:
                table = change(pq.read_table(path))
                pq.write_table(table, path, store_schema=False)
            after.append(replace(one, file_bytes=path.stat().st_size, record_count=table.num_rows))
        return compare_rows(rules, replace(compacted, after=tuple(after)), transfer)

    monkeypatch.setattr(compaction, "compare_rows", tampered)


def column_set(name: str, value: Callable[[pa.ChunkedArray], Any]) -> Callable[[pa.Table], pa.Table]:
    """Return a change of the first row's value in a column."""

    def changed(table: pa.Table) -> pa.Table:
        at, of = table.schema.get_field_index(name), table.schema.field(name)
        values = pa.concat_arrays([pa.array([value(table[name])], of.type), table[name].combine_chunks()[1:]])
        return table.set_column(at, of, values)

    return changed


WRONG: Mapping[str, tuple[Mapping[str, str], Callable[[pa.Table], pa.Table], str]] = {
    "another value": ({}, column_set("value", lambda _: 99.0), "1 rows are not those that the merge engine keeps"),
    "a value that is null": (
        {},
        column_set("word", lambda _: None),
        "1 rows are not those that the merge engine keeps",
    ),
    "another number": (
        {},
        column_set("_SEQUENCE_NUMBER", lambda each: each[1].as_py()),
        "1 rows are not those that the merge engine keeps",
    ),
    "a row that deletes": (
        {},
        column_set("_VALUE_KIND", lambda _: 3),
        "1 rows are not those that the merge engine keeps",
    ),
    "another value, in ORC": (
        {"file.format": "orc"},
        column_set("value", lambda _: 99.0),
        "1 rows are not those that the merge engine keeps",
    ),
    "no row, in ORC": ({"file.format": "orc"}, lambda table: table.slice(1), "1 keys are missing"),
    "no row": ({}, lambda table: table.slice(1), "1 keys are missing"),
    "a row twice": ({}, lambda table: pa.concat_tables([table.slice(0, 1), table]), "1 keys are in the outputs twice"),
    "an unknown key": ({}, column_set("id", lambda _: 777), "1 keys are in no input; 1 keys are missing"),
    "no first row": ({"merge-engine": "first-row"}, lambda table: table.slice(1), "1 keys are missing"),
    "no key, by vectors": ({"deletion-vectors.enabled": "true"}, lambda table: table.slice(1), "1 keys are missing"),
    "no key of an aggregation": ({"merge-engine": "aggregation"}, lambda table: table.slice(1), "1 keys are missing"),
    "a number beyond those of its key": (
        {"merge-engine": "aggregation"},
        column_set("_SEQUENCE_NUMBER", lambda each: pc.max(each).as_py() + 1),
        "1 rows have a sequence number beyond those of their key",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_outputs_fail_the_group_and_are_removed(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    options, change, text = WRONG[wrong]
    before = paths(filled(lake, options))
    tamper(monkeypatch, change)
    result = compacted(lake)
    assert (result.outcome, result.message) == ("failed", "")
    engine = "keys-only" if options.get("merge-engine") == "aggregation" else options.get("merge-engine", "deduplicate")
    assert f": Paimon's core merged rows wrongly ({engine}): {text}" in str(result.reason)
    assert "OutputFault: " in str(result.reason)
    assert {each.name for each in lake.folder.rglob("data-*")} == {Path(each).name for each in before}


@pytest.mark.parametrize(
    ("options", "task_options"),
    [
        ({}, {"sequence.field": "at"}),
        ({"sequence.field": "other"}, {"sequence.field": "at"}),
        ({}, {"ignore-delete": "true"}),
    ],
    ids=["a field in place of none", "another field", "deletes ignored"],
)
def test_a_wrong_merge_order_of_the_core_fails_the_group(
    lake: PaimonLake, options: Mapping[str, str], task_options: Mapping[str, str]
) -> None:
    """The core itself merges by options other than the table's: every count and every file is as it should be."""
    filled(lake, options, commits=3)
    lake.write(
        [[each, None, 99, None, None] for each in range(10)], kinds="D" * 10 if "ignore-delete" in task_options else ""
    )
    rows, before = lake.call("values"), paths(lake)
    (task,) = checked_tasks(lake)
    wrong = replace(task, options={**task.options, **task_options})
    assert compact(replace(wrong, rules=None)).outcome == "written"
    result = compact(wrong)
    assert result.outcome == "failed"
    assert "merged rows wrongly" in str(result.reason)
    assert (lake.call("values"), paths(lake)) == (rows, before)
    assert compact(task).outcome == "written"


def test_rows_are_compared_in_slices_of_their_keys(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.formats.paimon.task.checks.SLICE_ROWS", 7)
    filled(lake, {})
    (task,) = checked_tasks(lake)
    assert compact(task).row_digest.startswith("28-")
    tamper(monkeypatch, column_set("value", lambda _: 99.0))
    assert ": 1 rows are not those" in str(compact(task).reason)


def test_more_rows_than_the_slices_hold_are_reported_as_not_compared(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.formats.paimon.task.checks.SLICE_ROWS", 10)
    monkeypatch.setattr("engine.formats.paimon.task.checks.MOST_SLICES", 4)
    filled(lake, {})
    (task,) = checked_tasks(lake)
    assert (compact(task).row_digest[:3], compact(task).check_limit) == ("28-", "")
    monkeypatch.setattr("engine.formats.paimon.task.checks.MOST_SLICES", 3)
    result = compact(task)
    assert (result.outcome, result.row_digest) == ("written", "")
    assert result.check_limit == "not compared: more than 30 rows"


@pytest.mark.parametrize("changed", ["before", "after"])
def test_a_number_of_rows_beyond_all_bounds_is_reported(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    """Manifests can state any number: one opens no files, and another does not make up for it."""

    def counted(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
        first, *others = getattr(compacted, changed)
        numbers = [2**62, *(-(2**62) for _ in others)]
        files = [replace(one, record_count=count) for one, count in zip((first, *others), numbers, strict=True)]
        return compare_rows(rules, replace(compacted, **{changed: tuple(files)}), transfer)

    monkeypatch.setattr(compaction, "compare_rows", counted)
    result = compacted(filled(lake, {}))
    assert (result.outcome, result.check_limit) == ("written", "not compared: more than 128,000,000 rows")


def test_a_stop_during_the_comparison_leaves_no_file(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
        transfer.bucket.stop()
        return compare_rows(rules, compacted, transfer)

    monkeypatch.setattr(compaction, "compare_rows", stopped)
    before = paths(filled(lake, {}))
    (task,) = checked_tasks(lake)
    assert compact(task).outcome == "stopped"
    assert {each.name for each in lake.folder.rglob("*.parquet")} == {Path(each).name for each in before}


def test_an_input_that_is_gone_fails_the_comparison_by_name(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is guessed: a file that can't be read again is a fault, and the group is not committed."""

    def removed(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
        Path(compacted.before[0].path.removeprefix("file:")).unlink()
        return compare_rows(rules, compacted, transfer)

    monkeypatch.setattr(compaction, "compare_rows", removed)
    result = compacted(filled(lake, {}))
    assert result.outcome == "failed"
    assert str(result.reason).startswith("InputFault: ")
    assert not [each for each in lake.folder.rglob("*.parquet") if each.name.startswith("run_1")]


def test_what_the_comparison_reads_is_charged_and_reported(lake: PaimonLake) -> None:
    filled(lake, {})
    (task,) = checked_tasks(lake)
    plain, checked = compact(replace(task, rules=None)), compact(task)
    read = sum(each.file_bytes for each in task.inputs) + sum(each.file_bytes for each in checked.outputs)
    assert (plain.bytes_checked, checked.bytes_checked) == (0, read)
    assert checked.bytes_read == plain.bytes_read + read
    assert checked.requests > plain.requests
    assert checked.seconds_checking > 0


def test_files_of_other_formats_are_reported_as_not_compared(lake: PaimonLake) -> None:
    result = compacted(filled(lake, {"file.format": "avro"}))
    assert (result.outcome, result.row_digest) == ("written", "")
    assert result.check_limit == "not compared: files of format .avro, only all .parquet or all .orc are"


def test_times_that_arrow_has_no_value_for_leave_orc_files_out(lake: PaimonLake) -> None:
    columns, options = (
        [("id", "INT NOT NULL"), ("at", "TIMESTAMP(6)")],
        {"bucket": "1", "write-only": "true", "file.format": "orc"},
    )
    lake.call("create", columns=columns, partition_keys=[], primary_keys=["id"], options=options)
    for number in range(4):
        lake.write([[number, "9999-12-31T00:00:00"]])
    result = compacted(lake)
    assert (result.outcome, result.row_digest) == ("written", "")
    assert "is out of range for nanosecond resolution" in result.check_limit


def test_a_sequence_field_without_a_known_order_leaves_values_out(lake: PaimonLake) -> None:
    result = compacted(filled(lake, {"sequence.field": "word"}))
    assert result.check_limit == (
        "only keys and sequence numbers are compared, no values: sequence.field word is of type STRING"
    )
    assert result.row_digest


@pytest.mark.parametrize(("direction", "least"), [("ascending", -(2**63)), ("descending", 2**63 - 1)])
def test_the_last_value_in_the_order_of_a_sequence_field_is_above_null(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch, direction: str, least: int
) -> None:
    create(lake, {"sequence.field": "other", "sequence.field.sort-order": direction})
    lake.write([[1, 0, least, "kept", 0.0], [2, 0, None, "null", 0.0]])
    lake.write([[1, 0, None, "null", 0.0], [2, 0, least, "kept", 0.0]])
    assert [row[3] for row in lake.call("values")] == ["kept", "kept"]
    (task,) = checked_tasks(lake)
    result = compact(task)
    assert (result.outcome, result.reason) == ("written", None)
    tamper(monkeypatch, column_set("word", lambda _: "null"))
    assert "1 rows are not those that the merge engine keeps" in str(compact(task).reason)


def test_columns_of_other_schemas_are_compared_by_their_ids(lake: PaimonLake) -> None:
    """A column that is new, renamed or gone is compared; one of another type is not, and reported."""
    filled(lake, {})
    lake.call("rename_column", name="word", new_name="text")
    lake.call("change_type", name="at", kind="BIGINT")
    lake.call("drop_column", name="other")
    lake.call("add_column", name="more", kind="INT")
    lake.write([[each, 1, "b", 2.5, 7] for each in range(5, 9)])
    result = compacted(lake)
    assert result.outcome == "written", result.reason
    assert result.check_limit == "values of columns that are not compared, for their types: at"
    assert result.row_digest


def test_rows_of_an_append_table_are_compared_too(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.create(write_only="true", metadata__stats_mode="none", parquet__enable__dictionary="false")
    for number in range(3):
        lake.write([[each, "2026-11-01", float(number)] for each in range(5)])
    (task,) = checked_tasks(lake)
    assert compact(task).row_digest.startswith("15-")
    tamper(monkeypatch, column_set("value", lambda _: 99.0))
    assert "other rows than the inputs'" in str(compact(task).reason)


def test_an_append_table_with_deleted_rows_is_reported_as_not_compared(lake: PaimonLake) -> None:
    lake.create(deletion_vectors__enabled="true")
    lake.write([[each, "2026-11-01", 0.0] for each in range(5)])
    lake.call("delete", every=2)
    result = compacted(lake)
    assert (result.outcome, result.row_digest) == ("written", "")
    assert result.check_limit == "not compared: rows of an append table that deletion vectors delete"
