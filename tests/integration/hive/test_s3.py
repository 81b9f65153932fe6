"""Hive tables in S3: an entry's literal addresses, listed with the catalog's credentials."""

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.errors import Away, CredentialsExpired, NotEligible, StateConflict
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine, GroupSettings
from engine.formats.hive import HiveFormat, HiveTable
from engine.rewriting.kernel.contract import WriteSettings
from tests.support.hive.stated_metastore import StatedMetastore, stated_partition, stated_table
from tests.support.s3_server import S3Server

REF = TableRef("lake", ("lake",), "events")
ACCESS = ("key", "secret")
FILES = {
    "events/day=2026-11-01/part-0.parquet": "2026-11-01",
    "events/day=a b%25/part 1.parquet": "a b%",
    "events/_moved/id=1/part-2.parquet": "moved",
    "events/Zürich=é/part-3.parquet": "é",
}


@pytest.fixture
def metastore(s3: S3Server) -> Iterator[StatedMetastore]:
    """A table with four partitions, and objects that are no files of it."""
    for key in FILES:
        s3.put(key, b"PAR1")
    for key in ("events/_SUCCESS", "events/day=2026-11-01/.part.crc", "events/day=2026-11-01/_temporary/0/x"):
        s3.put(key, b"hidden")
    s3.file_system().create_dir("lake/events/day=2026-11-01")  # an object without bytes whose name ends with a slash
    s3.put("events/day=2026-11-01/empty", b"")
    s3.put("events/day=unregistered/part-0.parquet", b"PAR1")
    s3.put("events2/day=2026-11-01/part-0.parquet", b"PAR1")
    partitions = [stated_partition([value], f"s3://lake/{key.rpartition('/')[0]}") for key, value in FILES.items()]
    with StatedMetastore({"events": stated_table("s3://lake/events")}, {"events": partitions}).running() as server:
        yield server


def test_objects_of_partitions_are_listed(s3: S3Server, metastore: StatedMetastore) -> None:
    opened = _open(metastore, s3.properties(*ACCESS))

    rows = opened.digest().select(["path", "partition", "file_bytes"]).to_pylist()

    assert {(row["path"], row["partition"]) for row in rows} == {
        (f"s3://lake/{key}", f'{{"day":"{value}"}}') for key, value in FILES.items()
    }
    assert {row["file_bytes"] for row in rows} == {4}


def test_objects_whose_names_engines_can_not_address_are_left_out(s3: S3Server, metastore: StatedMetastore) -> None:
    """One of these failed the listing of the whole table."""
    for name in ("day=2026-11-01//part-7.parquet", "day=2026-11-01/../part-8.parquet", "day=2026-11-01/\x01.parquet"):
        s3.put_exactly(f"events/{name}", b"PAR1")
    assert _open(metastore, s3.properties(*ACCESS)).digest().num_rows == len(FILES)


def test_locations_with_the_scheme_of_hadoop_are_the_same_place(s3: S3Server, metastore: StatedMetastore) -> None:
    for each in metastore.partitions["events"]:
        each.sd.location = each.sd.location.replace("s3:", "s3a:")

    opened = _open(metastore, s3.properties(*ACCESS))

    assert (opened.digest().num_rows, opened.describe()["partitions_outside"]) == (len(FILES), 0)


def test_a_new_object_changes_the_pointer(s3: S3Server, metastore: StatedMetastore) -> None:
    before = _open(metastore, s3.properties(*ACCESS)).pointer
    s3.put("events/day=2026-11-01/part-9.parquet", b"PAR1")
    assert _open(metastore, s3.properties(*ACCESS)).pointer != before


def test_a_store_that_is_away_is_a_wait(s3: S3Server, metastore: StatedMetastore) -> None:
    properties = {**s3.properties(*ACCESS), "s3.endpoint": "http://127.0.0.1:1"}
    with pytest.raises(Away, match="Could not list the files of lake"):
        _open(metastore, properties)


def test_refused_and_expired_credentials_are_named(s3: S3Server, metastore: StatedMetastore) -> None:
    s3.forbidden.add("forbidden")
    s3.expired.add("expired")
    with pytest.raises(StateConflict, match="give the catalog's properties credentials"):
        _open(metastore, s3.properties("forbidden", "secret"))
    with pytest.raises(CredentialsExpired, match="expired"):
        _open(metastore, s3.properties("expired", "secret"))


def test_f47_a_file_that_the_store_refuses_leaves_its_partition_out(s3: S3Server, metastore: StatedMetastore) -> None:
    """F47: planning ended with `state_conflict` for the whole table, whose listing was allowed."""
    body = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int64())}), body)
    for key in FILES:
        s3.put(key, body.getvalue().to_pybytes())
    refused, *others = [f"s3://lake/{key}" for key in FILES]
    s3.forbidden_keys.add(next(iter(FILES)))
    table = _open(metastore, s3.properties(*ACCESS))
    files = table.group_inputs([refused, *others])
    assert [files[path].record_count for path in (refused, *others)] == [0, 2, 2, 2]
    group = FileGroup(0, 0, '{"day":"2026-11-01"}', (files[refused],), 1)
    with pytest.raises(NotEligible, match=r"the store refuses .*part-0\.parquet \(.*\): give the catalog's properties"):
        table.engines[Engine.ARROW].task(group, run_id="run_1", attempt=1, settings=GroupSettings(WriteSettings(2**27)))


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_dual_file_is_looked_up_as_an_object(s3: S3Server, metastore: StatedMetastore, scheme: str) -> None:
    """U13: folders are named as the Metastore has them; a refusal of the store is no missing file."""
    for each in metastore.partitions["events"]:
        each.sd.location = each.sd.location.replace("s3:", f"{scheme}:")
    guide = _open(metastore, s3.properties(*ACCESS)).write_guide
    name, partition = guide.written_file(None).name, guide.partition_name('{"day":"a b%"}')
    file = guide.written_file(name)
    (before,) = guide.write_locations(partition, file, ()).locations
    s3.put(f"events/day=a b%25/{name}", b"PAR1")
    (after,) = guide.write_locations(partition, file, ()).locations
    assert before.location == after.location == f"{scheme}://lake/events/day=a b%25"
    assert (before.has_file, after.has_file) == (False, True)
    s3.expired.add("key")
    with pytest.raises(CredentialsExpired):
        guide.write_locations(partition, file, ())


def _open(metastore: StatedMetastore, storage: Mapping[str, str]) -> HiveTable:
    properties = {"type": "metastore", "uri": metastore.uri, **storage}
    return HiveFormat(pause=0).connect("lake", properties).open_table(REF)
