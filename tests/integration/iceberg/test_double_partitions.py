"""Tables partitioned by doubles: the partition values of files that a rewrite does not touch keep every bit.

PyIceberg 0.12 reads the doubles of Avro files as floats.
"""

import math

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform

from tests.support.iceberg_tables import Lake, group_of, ids_of, nothing, orders, request_of, write_group

BY_PRICE = PartitionSpec(PartitionField(4, 1000, IdentityTransform(), "price"))
EXACT, LONG = 0.5, 0.2772965411539874


SPECIAL = [math.inf, -math.inf, -0.0, 0.0, 5e-324, 1.7976931348623157e308, None]


def written(lake: Lake) -> list[str]:
    """Return the partition of each live file of the head as its manifest has it, read without PyIceberg."""
    table, found = lake.load(), []
    head = table.current_snapshot()
    assert head is not None
    for manifest in head.manifests(table.io):
        with table.io.new_input(manifest.manifest_path).open() as stream:
            entries = list(fastavro.reader(stream))
        found += [repr(each["data_file"]["partition"]["price"]) for each in entries if each["status"] != 2]
    return sorted(found)


def prices(table: Table, first: int, values: list[float | None]) -> None:
    """Append one file for each of the values."""
    rows = orders(range(first, first + len(values)))
    table.append(rows.set_column(3, rows.schema.field(3), pa.array(values, pa.float64())))


def rewrite(lake: Lake, value: float) -> int:
    """Rewrite the files of one partition and prove it; return their number."""
    opened = lake.open()
    rows = [row for row in opened.digest().to_pylist() if row["partition"] == f'{{"price":{value}}}']
    group = write_group(opened, group_of(opened, [row["path"] for row in rows]))
    outcome = opened.commits.commit(request_of(opened, group), before_try=nothing)
    assert outcome.snapshot_id is not None
    proof = lake.open().commits.prove(outcome.snapshot_id, [group])
    assert proof.ok, proof.checks
    return len(rows)


@pytest.mark.parametrize("rewritten", [EXACT, LONG])
def test_files_of_every_partition_keep_its_value(lake: Lake, rewritten: float) -> None:
    table = lake.create(spec=BY_PRICE)
    for first in (0, 20):
        prices(table, first, [EXACT, LONG, *SPECIAL])
    before = written(lake)
    assert before.count(repr(LONG)) == 2
    assert rewrite(lake, rewritten) == 2
    before.remove(repr(rewritten))
    assert written(lake) == before


def test_a_table_whose_doubles_are_no_floats_is_rewritten_again_and_again(lake: Lake) -> None:
    table = lake.create(spec=BY_PRICE)
    for first in (0, 10, 20):
        prices(table, first, [LONG, LONG / 3])
        lake.load()
    assert rewrite(lake, LONG) == 3
    prices(lake.load(), 30, [LONG])
    assert rewrite(lake, LONG) == 2
    assert rewrite(lake, LONG / 3) == 3
    assert written(lake) == sorted([repr(LONG), repr(LONG / 3)])
    assert ids_of(lake.load()) == [0, 1, 10, 11, 20, 21, 30]
