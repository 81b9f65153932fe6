"""Options of tables by an allow-list: operations on a table are refused while it has an unknown option."""

import json
from typing import Final

import pytest

from engine.domain.errors import CommitConflict, NotEligible, TableUnreadable
from engine.formats.base import Engine
from engine.formats.intake.parameters import MEANINGLESS
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.metadata.known_options import KNOWN, Activity
from engine.formats.paimon.table import PaimonTable
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import edit_json
from tests.support.paimon.expiries import expiry
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import committed, opened, rewritten

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


def test_f45_every_option_of_the_core_is_listed(paimon_core: PaimonCore) -> None:
    """F45: what the core adds in another version is found here, before a table has it."""
    names = paimon_core.call("options", classes=OF_TABLES)
    assert len(names) > 300
    assert [each for each in names if KNOWN[Activity.CORE].find(each) is None] == []


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


def test_f45_the_core_does_not_rewrite_where_it_would_leave_rows_out(lake: PaimonLake) -> None:
    """F45: with this option, a compaction removes the rows of a file that the store does not return at that time."""
    lake.create(primary_keys=["id"], bucket="1", write_only="true", scan__ignore_lost_files="true")
    lake.write([[1, "a", 1.0]])
    (first,) = (lake.folder / "bucket-0").iterdir()
    lake.write([[2, "a", 1.0]])
    (found,) = (each for each in lake.open().engines[Engine.NATIVE].conditions() if each.name == "native_known_options")
    assert not found.holds
    assert found.detail.endswith("rows that can't be read are left out, also of rewritten files): set it to false")
    away = first.rename(lake.root / "away")
    lake.compact()
    away.rename(first)
    assert lake.call("ids") == [2], "the core has lost a row, without an error"


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


def test_f45_snapshots_of_a_table_with_metadata_of_iceberg_stay(lake: PaimonLake) -> None:
    """F45: Iceberg's readers can need files of a snapshot that no reader of Paimon needs."""
    lake.create(metadata__iceberg__storage="table-location")
    with pytest.raises(NotEligible, match="readers of Iceberg"):
        lake.open().expiry.plan(expiry(1))


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
