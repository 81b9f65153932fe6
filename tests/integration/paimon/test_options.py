"""Options of tables by an allow-list: operations on a table are refused while it has an unknown option."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from engine.domain.errors import CommitConflict, NotEligible, TableUnreadable
from engine.formats.base import Engine
from engine.formats.intake.parameters import MEANINGLESS
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.metadata.known_options import KNOWN, Activity
from engine.formats.paimon.metadata.option_values import CHOICES, KINDS, unparsed
from engine.formats.paimon.table import PaimonTable
from tests.support.paimon.edits import edit_json
from tests.support.paimon.expiries import expiry
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import committed, opened, rewritten
from tests.support.paimon.second_reader import PyPaimon

OF_TABLES: Final = (
    "CoreOptions",
    "iceberg.IcebergOptions",
    "format.OrcOptions",
    "format.csv.CsvOptions",
    "format.json.JsonOptions",
    "format.text.TextOptions",
    "globalindex.btree.BTreeIndexOptions",
)
"""Classes of Paimon 1.4.2 with options that tables store; those of catalogs are not stored in tables."""
CLASSES: Final = {
    "Integer": "INTEGER", "Long": "LONG", "Boolean": "BOOLEAN", "Double": "NUMBER", "Float": "NUMBER",
    "MemorySize": "SIZE", "Duration": "DURATION",
}  # fmt: skip
TEXTS: Final = ("String", "Map")


def test_f45_every_option_of_both_libraries_is_listed(lake: PaimonLake, pypaimon: PyPaimon) -> None:
    """F45: what another version adds is found here, before a table has it."""
    names = [*lake.core.call("options", classes=OF_TABLES), *pypaimon.do(lake, "options")]
    assert len(names) > 420
    assert [each for each in names if KNOWN[Activity.CORE].find(each) is None] == []


def test_f49_each_option_has_the_kind_of_values_that_the_core_reads(lake: PaimonLake) -> None:
    """F49: with another value, the core opens no table."""
    every = lake.core.call("option_kinds", classes=OF_TABLES)
    own = {name: of for name, of in every.items() if not name.startswith(("orc.", "parquet.")) and of[0] not in TEXTS}
    kinds = {name: CLASSES[of[0]] for name, of in own.items() if of[0] in CLASSES}
    assert kinds == KINDS
    assert {name: " ".join(of[1:]).lower() for name, of in own.items() if of[0] not in CLASSES} == CHOICES


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("snapshot.num-retained.max", "9" * 5000),
        ("snapshot.num-retained.max", "++5"),
        ("snapshot.num-retained.max", "²"),
        ("compaction.delete-ratio-threshold", "1" * 300_000 + "x"),
        ("page-size", "1" + " " * 300_000 + "x"),
        ("file.compression.per.level", "0:zstd," * 100_000),
    ],
    ids=lambda text: text[:30],
)
@pytest.mark.timeout(10)
def test_values_of_any_length_and_alphabet_are_told_from_those_of_an_option(name: str, value: str) -> None:
    (found,) = unparsed({name: value})
    assert found.startswith(f"{name} is {value[:100]!r}, which Paimon's core can't read: set it to")


LEVELS: Final = {"file.format.per.level": "0:avro", "file.compression": "none"}
LOGS: Final = {"changelog-producer": "lookup", "changelog-file.format": "orc", "file.compression": "gzip"}


@pytest.mark.parametrize(
    ("options", "failed"),
    [
        ({"file.format": "text"}, {"native_codecs": "names zstd, which the core lacks for text files: use none"}),
        ({"file.compression.per.level": "5:brotli"}, {"native_codecs": "file.compression.per.level names brotli"}),
        (LEVELS, {"native_codecs": "names none, which the core lacks for avro files: use bzip2, deflate, null"}),
        (LOGS, {"native_codecs": "changelog-file.compression names gzip, which the core lacks for orc files"}),
        ({"file.format": "mosaic"}, {"native_file_format": "files of format mosaic, which the core lacks: name one"}),
        ({"file.format": "ORC", "file.compression": "zlib"}, {}),
    ],
)
def test_f45_formats_and_codecs_that_the_core_lacks_are_refused(
    lake: PaimonLake, options: Mapping[str, str], failed: Mapping[str, str]
) -> None:
    """F45: the core 1.4.2 reads compressed text only in part, and a compaction would lose the other rows."""
    lake.create(primary_keys=["id"], bucket="1", write_only="true")
    for name, value in options.items():
        _add(lake, name, value)
    conditions = lake.open().engines[Engine.NATIVE].conditions()
    found = {each.name: each.detail for each in conditions if not each.holds and each.name != "native_core"}
    assert found.keys() == failed.keys()
    assert all(text in found[name] for name, text in failed.items())


FIRST: Final = {"merge-engine": "first-row"}


@pytest.mark.parametrize(
    ("keys", "options", "told"),
    [
        (
            ["id"],
            {**FIRST, "changelog-producer": "input"},
            "changelog-producer is input with the merge engine first-row",
        ),
        (["id"], {**FIRST, "sequence.field": "value"}, "sequence.field is set with the merge engine first-row"),
        ([], {**FIRST, "deletion-vectors.enabled": "true"}, "deletion-vectors.enabled is true with the merge engine"),
        (
            ["id"],
            {"sequence.field": "value", "fields.value.aggregate-function": "max"},
            "fields.value.aggregate-function is set for a column of sequence.field: remove one of them",
        ),
    ],
)
def test_f49_options_that_the_core_refuses_together_are_named_by_the_plan(
    lake: PaimonLake, keys: Sequence[str], options: Mapping[str, str], told: str
) -> None:
    """F49: each is fine alone; the core opens no table with both, so that every run failed."""
    lake.create(primary_keys=keys, bucket="1" if keys else "-1", write_only="true")
    for name, value in options.items():
        _add(lake, name, value)
    conditions = lake.open().engines[Engine.NATIVE].conditions()
    (detail,) = (each.detail for each in conditions if not each.holds and each.name == "native_option_values")
    assert detail.startswith(told)


@pytest.mark.parametrize(
    ("of", "options", "is_refused"),
    [
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", {"file.format": "orc"}, True),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", {"file.format.per.level": "5:orc"}, True),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", {"file.format": "orc", "orc.timestamp-ltz.legacy.type": "false"}, False),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", {"file.format": "parquet"}, False),
        ("TIMESTAMP(6)", {"file.format": "orc"}, False),
    ],
)
def test_rows_do_not_expire_by_times_that_depend_on_the_zone_of_their_writer(
    lake: PaimonLake, of: str, options: Mapping[str, str], is_refused: bool
) -> None:
    """A task whose JVM is in another time zone than the writers' would remove rows hours too soon."""
    lake.create([("id", "BIGINT NOT NULL"), ("at", of)], primary_keys=["id"], bucket="1", write_only="true")
    for name, value in {"record-level.time-field": "at", "record-level.expire-time": "1 d", **options}.items():
        _add(lake, name, value)
    conditions = lake.open().engines[Engine.NATIVE].conditions()
    details = [each.detail for each in conditions if not each.holds and each.name == "native_option_values"]
    assert [each.startswith("record-level.time-field at has local times") for each in details] == [True] * is_refused


@pytest.mark.parametrize("name", ["merge-engine", "changelog-producer"])
def test_f45_a_merge_engine_that_is_not_known_is_refused(lake: PaimonLake, name: str) -> None:
    lake.create(primary_keys=["id"], bucket="1")
    _add(lake, name, "vector-merge")
    with pytest.raises(TableUnreadable, match=f"the option {name} is 'vector-merge', none of .*: a newer program"):
        lake.open()


def test_f45_an_option_that_is_not_listed_forbids_every_operation(lake: PaimonLake) -> None:
    """F45: each refusal names the option and the remedy, which is a property of the catalog."""
    lake.create()
    lake.write([[1, "a", 1.0]])
    lake.write([[2, "a", 1.0]])
    assert _forbidden(lake.open()) == []
    _add(lake, "rows.hidden-by", "value")
    told = r"rows.hidden-by is not a known option: if no reader goes by it, name it in the catalog's property"
    for engine in lake.open().engines.values():
        (detail,) = (each.detail for each in engine.conditions() if each.name.endswith("_known_options"))
        assert detail.startswith(told)
    with pytest.raises(NotEligible, match=told):
        lake.open().expiry.plan(expiry(1))
    with pytest.raises(NotEligible, match=told):
        lake.open().orphan_removal.check()
    properties = {**lake.properties, MEANINGLESS: "rows.*"}
    assert _forbidden(PaimonFormat().connect("lake", properties).open_table(lake.ref)) == []


@pytest.mark.usefixtures("core_child")
def test_f45_a_rewrite_is_not_committed_once_the_table_has_an_option_that_forbids_it(lake: PaimonLake) -> None:
    """F45: the table changed between the plan and the commit."""
    lake.create(primary_keys=["id"], bucket="1", write_only="true")
    for number in range(2):
        lake.write([[number, "a", 1.0]])
    table = opened(lake)
    groups = rewritten(table, full=True)
    lake.call("set_option", name="rows.hidden-by", value="value")
    with pytest.raises(CommitConflict, match=r"rows\.hidden-by is not a known option"):
        committed(lake, table, groups)


def test_f45_a_table_of_paimon_0_8_is_of_orc_files(lake: PaimonLake) -> None:
    """F45: the core takes ORC as the default of such a schema, so that the kernel must not write Parquet files."""
    lake.create()
    edit_json(lake.folder / "schema/schema-0", version=2)
    (found,) = (each for each in lake.open().engines[Engine.ARROW].conditions() if each.name == "kernel_file_format")
    assert (found.holds, found.detail) == (False, "orc files")
    lake.write([[1, "a", 1.0]])
    assert [each.suffix for each in lake.folder.glob("bucket-0/data-*")] == [".orc"]


def test_f45_a_table_of_paimon_0_7_has_one_bucket(lake: PaimonLake) -> None:
    """F45: the core takes 1 as the default of such a schema, not dynamic buckets."""
    lake.create(primary_keys=["id"])
    edit_json(lake.folder / "schema/schema-0", version=1)
    lake.write([[1, "a", 1.0], [2, "a", 1.0]])
    table = lake.open()
    assert (table.describe()["bucket_mode"], table.describe()["buckets"]) == ("fixed", 1)
    assert lake.call("inspect")["files"][0]["total_buckets"] == 1


def test_f45_a_schema_of_a_later_version_is_not_read(lake: PaimonLake) -> None:
    """F45: its fields can have another meaning."""
    lake.create()
    edit_json(lake.folder / "schema/schema-0", version=4)
    with pytest.raises(TableUnreadable, match="its version is 4; 3 is the newest that can be read"):
        lake.open()


def _add(lake: PaimonLake, name: str, value: str) -> None:
    path = max((lake.folder / "schema").iterdir())
    edit_json(path, options={**json.loads(path.read_text())["options"], name: value})


def _forbidden(table: PaimonTable) -> list[str]:
    """Return the conditions of the options that are not met, having planned the operations that read them."""
    table.expiry.plan(expiry(1))
    table.orphan_removal.check()
    conditions = [*table.engines[Engine.ARROW].conditions(), *table.engines[Engine.NATIVE].conditions()]
    return [each.name for each in conditions if not each.holds and each.name.endswith("_known_options")]
