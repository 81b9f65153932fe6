"""Which paths are below a folder, however either is spelled."""

import pytest

from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.places import AllowedFolders

PLACES = AllowedFolders(["s3://lake/events", "file:///lake/events/", "abfss://c@account.host/events"])


@pytest.mark.parametrize(
    "path",
    [
        "s3://lake/events/data/a.parquet",
        "s3a://lake/events/data/a.parquet",
        "S3N://lake/events/data/a.parquet",
        "s3://lake/events//data/a.parquet",
        "s3://lake/events/data/at=10%3A00/note=a%2Fb/..x/a..parquet",
        "file:/lake/events/a",
        "file:///lake//events/a",
        "/lake/events/a",
        "abfss://c@account.host/events/a",
        "s3://lake/events",
    ],
)
def test_paths_below_a_folder_are_covered(path: str) -> None:
    assert PLACES.contains(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "s3://lake/salaries/a.parquet",
        "s3://lake/events2/a.parquet",
        "s3://lake/event",
        "s3://lake2/events/a",
        "s3://lake//events/a",
        "s3://me@lake/events/a",
        "s3:/lake/events/a",
        "gs://lake/events/a",
        "s3://lake/events/../salaries/a",
        "s3://lake/events/./a",
        "s3://lake/events/%2e%2E/salaries/a",
        "s3://lake/events/%252e./salaries/a",
        "s3://lake/events/x%2F..%2f..%2fsalaries/a",
        "s3://lake/events/x\\..\\..\\salaries",
        "s3://lake/events/.\n./salaries/a",
        "s3://lake/events/..",
        "file://host/lake/events/a",
        "file://localhost/lake/events/a",
        "lake/events/a",
        "/lake/events/../salaries/a",
        " s3://lake/events/a",
        "file:///etc/passwd",
        "http://lake/events/a",
    ],
)
def test_other_paths_are_not(path: str) -> None:
    assert not PLACES.contains(path)


def test_no_folder_covers_nothing() -> None:
    assert not any(AllowedFolders(()).contains(path) for path in ("", "/", "/a", "s3://a/b"))


def test_storage_refuses_paths_outside_before_it_is_asked(tmp_path) -> None:
    storage = Storage(
        properties={"s3.endpoint": "http://127.0.0.1:1"}, places=["s3://lake/events", str(tmp_path / "a")]
    )
    (tmp_path / "b").write_text("secret")
    for path in ("s3://lake/salaries/x", str(tmp_path / "b"), f"{tmp_path}/a/../b"):
        for act in (storage.check, storage.find, storage.delete):
            with pytest.raises(Refused, match="outside_files"):
                act(path)
    assert (tmp_path / "b").read_text() == "secret"
