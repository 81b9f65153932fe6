"""The contract of stores, tried on each kind: local files, S3 (two servers), Google Cloud Storage, Azure, HDFS.

S3 is moto with real semantics and our own fast server; Google is our own server, which knows its XML API; Azure is
Microsoft's emulator, with an account key and with a shared access signature; HDFS is Hadoop's own.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.domain.errors import NotEligible
from engine.formats.iceberg.catalog.file_systems import SharedFileIO
from engine.formats.intake.limits import Malformed
from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.files import Files, OpenFile
from tests.support.azure_server import ACCOUNT, AzureServer
from tests.support.s3_server import BUCKET, S3Server
from tests.support.store_server import StoreServer, store_server

KINDS = ["local", "s3 moto", "s3", "gs", "abfs", "abfss with host", "wasbs with signature", "hdfs"]
SMALL, LARGE = 1000, 33 * 2**20


@pytest.fixture(scope="module")
def fast() -> Iterator[StoreServer]:
    with store_server() as running:
        yield running


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, dict[str, str]]:
    """A folder of the test's own, and the properties that lead to its store."""
    if kind in {"local", "hdfs"}:
        return f"{request.getfixturevalue('hdfs') if kind == 'hdfs' else tmp_path.parent}/{tmp_path.name}", {}
    if kind == "s3 moto":
        moto: S3Server = request.getfixturevalue("s3")
        return f"s3a://{BUCKET}/t", moto.properties("key", "secret")
    if kind in {"s3", "gs"}:
        server: StoreServer = request.getfixturevalue("fast")
        properties = server.properties() if kind == "s3" else server.google_properties()
        return f"{kind}://{BUCKET}/{tmp_path.name}", properties
    azure: AzureServer = request.getfixturevalue("azure")
    if kind == "abfs":
        return f"abfs://{azure.container}/t", azure.properties()
    properties = azure.properties()
    if kind == "wasbs with signature":
        del properties["adls.account-key"]
        properties[f"adls.sas-token.{ACCOUNT}.blob.core.windows.net"] = azure.sas(600)
        return f"wasbs://{azure.container}@{ACCOUNT}.blob.core.windows.net/t", properties
    return f"abfss://{azure.container}@{ACCOUNT}.dfs.core.windows.net/t", properties


@pytest.fixture
def folder(place: tuple[str, dict[str, str]]) -> str:
    return place[0]


@pytest.fixture
def storage(place: tuple[str, dict[str, str]]) -> Storage:
    return Storage(properties=place[1], places=[place[0]])


@pytest.fixture
def metadata(place: tuple[str, dict[str, str]]) -> SharedFileIO:
    """The same store as PyIceberg sees it."""
    return SharedFileIO(place[1])


def write(storage: Storage, uri: str, size: int) -> tuple[Files, str]:
    store, path = storage.find(uri)
    output = store.create(path)
    for start in range(0, size, 2**20):
        output.write(memoryview(content(start, min(2**20, size - start))))
    assert output.finish() == size
    assert output.exists
    return store, path


def content(start: int, size: int) -> bytes:
    """Return bytes that differ from place to place."""
    text = np.arange(start // 8, (start + size) // 8 + 1, dtype=">u8").tobytes()
    return text[start % 8 : start % 8 + size]


def opened(store: Files, path: str, size: int | None) -> OpenFile:
    return store.open(path, size)


def test_what_was_written_is_read(storage: Storage, folder: str, kind: str) -> None:
    """Under names with every character that an address may give a meaning to."""
    for name in ("a.parquet", "d=1%202/k= a+b/ü&#?.parquet", "t=10:00/x"):
        for size in (0, 1, SMALL):
            uri = f"{folder}/{name}{size}"
            if kind == "hdfs" and ":" in name:
                with pytest.raises(OSError, match="Invalid path name"):
                    write(storage, uri, size)
                continue
            store, path = write(storage, uri, size)
            file = opened(store, path, None)
            assert file.size() == size, uri
            if size:
                assert bytes(file.read(0, size)) == content(0, size), uri
                assert bytes(file.read(size - 1, 10)) == content(size - 1, 1), uri


def test_a_large_file_is_sent_in_parts_and_read_in_ranges(storage: Storage, folder: str) -> None:
    store, path = write(storage, f"{folder}/large", LARGE)
    file = opened(store, path, LARGE)
    for start, length in ((0, 100), (10 * 2**20 - 3, 7), (LARGE - 5, 5)):
        assert bytes(file.read(start, length)) == content(start, length)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_file_of_that_name_is_never_replaced(storage: Storage, folder: str, size: int) -> None:
    store, path = write(storage, f"{folder}/taken", 10)
    with pytest.raises(FileExistsError, match="exists already"):
        write(storage, f"{folder}/taken", size)
    assert bytes(opened(store, path, 10).read(0, 10)) == content(0, 10)


def test_a_missing_file_is_that(storage: Storage, folder: str) -> None:
    store, path = storage.find(f"{folder}/none")
    with pytest.raises(FileNotFoundError):
        opened(store, path, 10).read(0, 10)
    with pytest.raises(FileNotFoundError):
        opened(store, path, None).read(0, 10)
    storage.delete(f"{folder}/none")


def test_files_are_listed_and_deleted(storage: Storage, folder: str) -> None:
    for name in ("in/a", "in/b%20c", "in/deep/d", "inner"):
        write(storage, f"{folder}/{name}", 3)
    store, path = storage.find(f"{folder}/in")
    assert sorted(store.files(path, is_recursive=True)) == [f"{path}/{name}" for name in ("a", "b%20c", "deep/d")]
    assert sorted(store.files(path, is_recursive=False)) == [f"{path}/{name}" for name in ("a", "b%20c")]
    storage.delete(f"{folder}/in/a")
    assert sorted(store.files(path, is_recursive=False)) == [f"{path}/b%20c"]
    assert list(store.files(f"{path}/nothing", is_recursive=True)) == []


def test_folders_are_listed_and_whole_files_read(storage: Storage, place: tuple[str, dict[str, str]]) -> None:
    """As a warehouse of Paimon tables is read."""
    folder, properties = place
    for name in ("in/one.db/t/x", "in/one.db/t/deep/y", "in/a%20b/x", "in/file", "other/x"):
        write(storage, f"{folder}/{name}", 3)
    tables = TableStorage(properties, places=AllowedFolders([folder]))
    assert tables.folders(f"{folder}/in") == ["a%20b", "one.db"]
    assert tables.folders(f"{folder}/in/one.db/t/deep") == []
    assert tables.files(f"{folder}/in/one.db/t") == ["x"]
    assert tables.folders(f"{folder}/nothing") == tables.files(f"{folder}/nothing") == []
    assert tables.read(f"{folder}/in/a%20b/x", 3) == content(0, 3)
    assert tables.read_if_present(f"{folder}/in/none", 3) is None
    with pytest.raises(Malformed, match="limit"):
        tables.read(f"{folder}/in/file", 2)
    with pytest.raises(NotEligible, match="outside_files"):
        tables.read(f"{folder}/../x", 2)


@pytest.mark.parametrize("kind", ["local"], indirect=True)
def test_f30_a_pipe_of_the_local_disk_is_not_opened(storage: Storage, folder: str) -> None:
    """F30: to open one waits for a writer; Parquet of Hive, metadata of Paimon, files of Iceberg."""
    pipe = f"{folder}/pipe"
    os.mkfifo(pipe.removeprefix("file://"))
    store, path = storage.find(pipe)
    reads: list[Callable[[], object]] = [
        lambda: store.open(path, None),
        lambda: TableStorage({}, places=AllowedFolders([folder])).read(pipe, 3),
        lambda: SharedFileIO({}).new_input(pipe),
    ]
    for read in reads:
        with pytest.raises(OSError, match="is a pipe, a socket or a device, and no file"):
            read()


def test_an_abandoned_file_is_gone(storage: Storage, folder: str) -> None:
    store, path = storage.find(f"{folder}/half")
    output = store.create(path)
    for start in range(0, LARGE, 2**20):
        output.write(memoryview(content(start, 2**20)))
    output.abandon()
    if output.exists:
        storage.delete(f"{folder}/half")
    assert list(store.files(path.rpartition("/")[0], is_recursive=True)) == []


def test_metadata_is_written_read_listed_and_deleted(metadata: SharedFileIO, folder: str) -> None:
    location = f"{folder}/metadata/00001-a.metadata.json"
    with metadata.new_output(location).create() as stream:
        stream.write(b"first")
    with pytest.raises(FileExistsError), metadata.new_output(location).create() as stream:
        stream.write(b"second")
    assert metadata.new_input(location).open().read() == b"first"
    with metadata.new_output(location).create(overwrite=True) as stream:
        stream.write(b"third")
    with metadata.new_input(location).open() as source:
        assert (source.read(2), source.read(), source.read(1)) == (b"th", b"ird", b"")
    assert len(metadata.new_input(location)) == 5
    assert metadata.files(f"{folder}/metadata", is_recursive=False) == [location]
    metadata.delete(location)
    assert not metadata.new_input(location).exists()


def test_an_error_while_metadata_is_written_leaves_nothing(metadata: SharedFileIO, folder: str, kind: str) -> None:
    def write_half() -> None:
        with metadata.new_output(f"{folder}/metadata/half.avro").create() as stream:
            stream.write(b"first")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    left = metadata.files(f"{folder}/metadata", is_recursive=True)
    assert len(left) == int(kind == "local")  # a local file is there from the start; the commit removes its own
