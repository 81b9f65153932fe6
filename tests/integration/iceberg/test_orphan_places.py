"""F43: on a wide location only files in the table's own folders with names of Iceberg's writers are orphans."""

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.domain.errors import NotEligible
from tests.support.expired_files import stored
from tests.support.iceberg_tables import Lake
from tests.support.orphans import LONG_AGO, RULE, UUID, deleted, named, orphan, remove, search, table

OF_OTHERS: Sequence[str] = (
    "export.parquet",
    named("team/raw"),
    named("elsewhere"),
    "team/hive/day=1/000000_0",
    "data/000000_0",
    f"data/part-00000-{UUID}-c000.snappy.parquet",
    f"data/20261128_031500_00001_abcde_{UUID}",
    f"data/{UUID}-0_0-1-2_20261128031500000.parquet",
    f"data/data-{UUID}-0.parquet",
    f"data/{UUID}.parquet",
    "data/0a1b2c3d4e5f6789-0a1b2c3d00000000_12_data.0.parq",
    "data/2026/notes.csv",
    "metadata/notes.avro",
    named("metadata"),
    f"metadata/deeper/{UUID}-m0.avro",
)
"""Files of Hive, Spark, Trino's Hive tables, Hudi, Paimon, DuckDB, Impala, and of no table."""

OF_ICEBERG: Sequence[str] = (
    named("data/city=Aachen"),
    f"data/00003-17-{UUID}-00001.parquet",
    f"data/1010/1000/0100/01101000-00003-17-{UUID}-00001.parquet",
    f"data/00003-17-{UUID}-4-00001.orc",
    f"data/00003-17-{UUID}-00001-deletes.puffin",
    f"data/00000-0-hive_20261128031500_{UUID}-job_1_2-1-00001.parquet",
    f"data/20261128_031500_00001_abcde-{UUID}.avro",
    "data/run_0abc-00001-1-0.parquet",
    "data/merged-dvs-17-1.puffin",
    "data/run_0abc-00001-1-deletes-0.puffin",
    f"metadata/{UUID}-m12.avro",
    f"metadata/run_0abc-1-{UUID}-m0.avro",
    f"metadata/snap-17-1-{UUID}.avro",
    f"metadata/optimized-m-{UUID}.avro",
    f"metadata/{'0a' * 16}-{'1b' * 16}-00000-0-5-00001.avro",
    f"metadata/17-{UUID}.stats",
    f"metadata/partition-stats-17-{UUID}.parquet",
)
"""Files of Iceberg's library, PyIceberg, Hive's and Trino's tables of Iceberg, Flink, and Packhouse."""


def test_f43_only_files_in_the_tables_folders_with_names_of_its_writers_go(lake: Lake) -> None:
    table(lake)
    live = stored(lake.load())
    stay = [orphan(lake, name) for name in OF_OTHERS]
    gone = [orphan(lake, name) for name in OF_ICEBERG]
    first = search(lake)
    assert first.look(RULE).refused.counts == {"other_name": len(OF_OTHERS)}
    assert deleted(remove(lake)) == len(gone)
    assert [path for path in stay if not path.exists()] == []
    assert [path for path in gone if path.exists()] == []
    assert live <= stored(lake.load())


def test_f43_files_go_from_declared_write_paths_inside_the_location_as_well(lake: Lake) -> None:
    table(lake)
    with lake.load().transaction() as change:
        change.set_properties({"write.data.path": f"{lake.load().location()}/rows"})
    gone, stays = [orphan(lake, named("rows/city=Bonn")), orphan(lake, named())], orphan(lake, named("row"))
    assert deleted(remove(lake)) == len(gone)
    assert stays.exists()


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        ("_delta_log/00000000000000000000.json", "Delta"),
        ("team/events/_delta_log/_last_checkpoint", "Delta"),
        ("data/.hoodie/hoodie.properties", "Hudi"),
        ("team/stream/_spark_metadata/0", "streaming query"),
        ("team/paimon/schema/schema-0", "Paimon"),
        ("team/other/metadata/v1.metadata.json", "metadata of another table"),
    ],
)
def test_f43_a_location_with_another_formats_table_is_refused(lake: Lake, mark: str, kind: str) -> None:
    table(lake)
    path = orphan(lake, named())
    orphan(lake, mark)
    for _ in range(2):
        with pytest.raises(NotEligible, match=kind):
            search(lake).look(RULE)
    assert path.exists()


@pytest.mark.parametrize("is_at_the_end", [False, True])
@pytest.mark.parametrize("name", ["00000-{}.metadata.json", "v1.gz.metadata.json"])
def test_f43_a_location_that_another_table_shares_is_refused(lake: Lake, name: str, is_at_the_end: bool) -> None:
    """The other table is in no catalog of Packhouse: its metadata is in the same folder, with earlier versions."""
    table(lake)
    path = orphan(lake, named())
    own = Path(lake.load().metadata_location.removeprefix("file://")).read_bytes()
    if is_at_the_end:  # a writer that sorts the fields, of a table with long properties
        document = json.loads(own)
        document["properties"] |= {f"note-{number}": os.urandom(3000).hex() for number in range(500)}
        own = json.dumps(document, sort_keys=True).encode()
    for of_other in (False, True):
        body = own.replace(str(lake.load().metadata.table_uuid).encode(), UUID.encode()) if of_other else own
        place = orphan(lake, f"metadata/{name.format(UUID)}")
        place.write_bytes(gzip.compress(body) if ".gz." in name else body)
        os.utime(place, (LONG_AGO, LONG_AGO))
        if of_other:
            with pytest.raises(NotEligible, match=f"metadata of another table .{UUID}. at the location"):
                search(lake).look(RULE)
        else:
            search(lake).look(RULE)
    assert path.exists()


def test_f43_a_file_that_changed_after_the_second_look_stays_and_one_that_is_gone_is_not_counted(lake: Lake) -> None:
    """Size and time are compared right before the deletion."""
    table(lake)
    changed, gone, goes = (orphan(lake, named(number=number)) for number in range(3))

    def meddle(_: int) -> None:
        changed.write_bytes(b"written by another")
        gone.unlink(missing_ok=True)

    tally = remove(lake, before_batch=meddle)
    assert (deleted(tally), tally.changed, tally.gone) == (1, 1, 1)
    assert (changed.exists(), goes.exists()) == (True, False)
