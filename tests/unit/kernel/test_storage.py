"""Paths in all their spellings, and a whole rewrite in an object store."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import InputFault, OutputFault, Refused, StorageFault
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.stores import hdfs, objects
from engine.rewriting.kernel.storage.stores.addresses import Address, address_of, canonical
from engine.rewriting.kernel.storage.transfer import Transfer
from tests.support.s3_server import S3Server
from tests.unit.kernel.building import MIB, field, make_task, rewrite, with_deletes, write, write_deletes

SCHEMA = pa.schema([field(1, "id", pa.int64())])


@pytest.mark.parametrize("uri", ["/a/b c", "file:/a/b c", "file:///a/b c", "file://localhost/a/b c", "FILE:/a/b c"])
def test_one_local_path_has_many_spellings(uri: str) -> None:
    assert address_of(uri) == Address("file", "", "/a/b c")


@pytest.mark.parametrize("uri", ["s3://b/k=1/x", "s3a://b/k=1/x", "s3n://b/k=1/x"])
def test_one_object_has_three_schemes(uri: str) -> None:
    assert canonical(uri) == "s3:b/k=1/x"


def test_percent_signs_and_colons_are_characters_of_a_name() -> None:
    assert address_of("file:/t/ts=10%3A00/a:b") == Address("file", "", "/t/ts=10%3A00/a:b")
    assert address_of("/t/10:00/x") == Address("file", "", "/t/10:00/x")


@pytest.mark.parametrize("uri", ["oss://b/x", "ftp://h/x", "http://h/x", "S3X://b/x"])
def test_other_storages_are_refused(uri: str) -> None:
    with pytest.raises(Refused, match="unsupported_storage"):
        canonical(uri)


@pytest.mark.parametrize(("kind", "package"), [("hdfs", "hdfs-native"), ("gs", "obstore"), ("abfs", "obstore")])
def test_a_store_whose_package_is_not_on_the_executors_is_refused(
    monkeypatch: pytest.MonkeyPatch, kind: str, package: str
) -> None:
    monkeypatch.setattr(hdfs if kind == "hdfs" else objects, "hdfs_native" if kind == "hdfs" else "obstore", None)
    with pytest.raises(Refused, match=f"unsupported_storage: .* needs the package {package}"):
        Storage(properties={}, places=[f"{kind}://node/t"]).find(f"{kind}://node/t/x")


@pytest.mark.parametrize("properties", [{"hdfs.user": "me"}, {"hdfs.host": "a b"}])
def test_a_setting_of_hdfs_that_can_not_be_followed_is_refused(properties: dict[str, str]) -> None:
    with pytest.raises(Refused, match="unsupported_storage"):
        Storage(properties=properties, places=["hdfs:///t"]).find("hdfs:///t/x")


def test_a_name_node_that_is_away_is_a_fault_of_the_store() -> None:
    transfer = Transfer(storage=Storage(properties={}, places=["hdfs://127.0.0.1:9/t"]), bucket=Bucket())
    with pytest.raises(StorageFault, match="refused"):
        transfer.open("hdfs://127.0.0.1:9/t/x")


def test_deleting_what_is_gone_is_fine(tmp_path: Path) -> None:
    Storage(properties={}, places=[str(tmp_path)]).delete(str(tmp_path / "gone"))


@pytest.fixture
def storage(s3: S3Server) -> dict[str, str]:
    """Table properties that lead to the store."""
    return s3.properties("key", "secret")


def upload(s3: S3Server, name: str, one: TaskInput) -> TaskInput:
    """Put a local input into the store."""
    s3.put(f"in/{name}", Path(one.path).read_bytes())
    return TaskInput(f"s3://lake/in/{name}", one.file_bytes, one.record_count)


def numbers(count: int) -> pa.Table:
    return pa.table([pa.array(np.random.default_rng(1).integers(0, 2**62, count))], schema=SCHEMA)


def read(s3: S3Server, uri: str) -> pa.Table:
    return pq.read_table(pa.BufferReader(s3.get(uri.partition("://lake/")[2])))


def test_a_group_is_rewritten_in_an_object_store(tmp_path: Path, s3: S3Server, storage: dict[str, str]) -> None:
    table = numbers(1000)
    local = write(tmp_path / "a.parquet", table)
    inputs = [upload(s3, f"{i}.parquet", local) for i in range(3)]
    task = make_task(tmp_path, inputs, SCHEMA, folder="s3://lake/t/data/d=1%202", storage=storage)
    (output,) = rewrite(task).outputs
    assert output.path == "s3://lake/t/data/d=1%202/run-3-1-0.parquet"
    assert read(s3, output.path).equals(pa.concat_tables([table] * 3))


def test_large_objects_go_by_ranges_and_parts(tmp_path: Path, s3: S3Server, storage: dict[str, str]) -> None:
    table = numbers(3_000_000)
    local = write(tmp_path / "a.parquet", table, row_group_size=1_000_000, use_dictionary=False)
    assert local.file_bytes > 16 * MIB
    task = make_task(tmp_path, [upload(s3, "a.parquet", local)], SCHEMA, folder="s3a://lake/out", storage=storage)
    s3.asked.clear()
    (output,) = rewrite(task).outputs
    seen = [(each.kind, each.is_ranged) for each in s3.asked if each.key.startswith("in/")]
    assert seen == [("GET", True)] * 4  # the tail and three row groups; the manifest knows the size
    assert s3.kinds()["PUT partNumber"] > 1
    assert read(s3, output.path).equals(table)
    assert output.file_bytes == len(s3.get("out/run-3-1-0.parquet"))


def test_deletes_and_data_may_name_another_s3_scheme(tmp_path: Path, s3: S3Server, storage: dict[str, str]) -> None:
    one = upload(s3, "a.parquet", write(tmp_path / "a.parquet", numbers(10)))
    deletes = write_deletes(tmp_path / "d.parquet", [("s3a://lake/in/a.parquet", 3)])
    s3.put("in/d.parquet", Path(deletes).read_bytes())
    inputs = [with_deletes(one, "s3n://lake/in/d.parquet")]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, folder="s3://lake/out", storage=storage))
    assert result.rows_deleted == 1
    assert read(s3, result.outputs[0].path).num_rows == 9


def test_an_object_of_the_same_name_is_never_written_over(
    tmp_path: Path, s3: S3Server, storage: dict[str, str]
) -> None:
    s3.put("out/run-3-1-0.parquet", b"another attempt's")
    one = upload(s3, "a.parquet", write(tmp_path / "a.parquet", numbers(10)))
    with pytest.raises(OutputFault, match="exists already"):
        rewrite(make_task(tmp_path, [one], SCHEMA, folder="s3://lake/out", storage=storage))
    assert s3.get("out/run-3-1-0.parquet") == b"another attempt's"


def test_a_failed_group_leaves_no_object(tmp_path: Path, s3: S3Server, storage: dict[str, str]) -> None:
    good = upload(s3, "a.parquet", write(tmp_path / "a.parquet", numbers(200_000), use_dictionary=False))
    bad = TaskInput("s3://lake/in/lost.parquet", 9, 1)
    task = make_task(tmp_path, [good, bad], SCHEMA, folder="s3://lake/out", storage=storage)
    with pytest.raises(InputFault, match=r"lost\.parquet"):
        rewrite(task)
    assert s3.stored() == {"in/a.parquet"}
