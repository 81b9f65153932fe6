"""Files that are written whole and never replace another one, in each kind of store."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.places import AllowedFolders
from tests.support.s3_server import BUCKET, S3Server


@pytest.fixture(params=["disk", "s3", "hdfs"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[TableStorage, str]:
    """A store, and a folder in it."""
    properties, folder = dict[str, str](), f"{tmp_path}/snapshot"
    match request.param:
        case "s3":
            server: S3Server = request.getfixturevalue("s3")
            properties, folder = server.properties("key", "secret"), f"s3://{BUCKET}/{tmp_path.name}/snapshot"
        case "hdfs":
            folder = f"{request.getfixturevalue('hdfs')}/{tmp_path.name}/snapshot"
        case _:
            Path(folder).mkdir()
    return TableStorage(properties, places=AllowedFolders([folder])), folder


def test_a_file_is_written_once(store: tuple[TableStorage, str]) -> None:
    storage, folder = store
    storage.publish(f"{folder}/snapshot-4", b"first")
    with pytest.raises(FileExistsError):
        storage.publish(f"{folder}/snapshot-4", b"second")
    assert storage.read(f"{folder}/snapshot-4", 99) == b"first"
    assert storage.files(folder) == ["snapshot-4"]


def test_of_many_that_write_at_once_one_succeeds(store: tuple[TableStorage, str]) -> None:
    storage, folder = store

    def write(number: int) -> bool:
        try:
            storage.publish(f"{folder}/snapshot-4", str(number).encode())
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(write, range(8)))
    assert outcomes.count(True) == 1
    assert storage.read(f"{folder}/snapshot-4", 99) == str(outcomes.index(True)).encode()
    assert storage.files(folder) == ["snapshot-4"]
