"""Both decoders of paths return the same for files of every writer; foreign or damaged files are refused."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.table import Table

from engine.formats.iceberg.removal import paths_in_files
from engine.formats.iceberg.removal.paths_in_files import entries_in, manifests_in
from engine.formats.intake.avro.blocks import readable
from engine.formats.intake.limits import Malformed
from tests.support.iceberg_tables import BY_CITY, Lake, append_files, commit_deletes, delete_file, live_paths


def body_of(path: str) -> bytes:
    return readable(Path(path.removeprefix("file://")).read_bytes())


@pytest.fixture(params=["1", "2"])
def table(lake: Lake, request: pytest.FixtureRequest) -> Table:
    made = lake.create(spec=BY_CITY, properties={"format-version": request.param})
    append_files(made, 3)
    append_files(made, 2, first=100, city=None)
    lake.load().delete("city == 'Aachen' and id < 15")
    return lake.load()


def ordered(found: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = found.sort_by([(name, "ascending") for name in found.schema.names]).to_pylist()
    return rows


def test_both_decoders_return_what_pyiceberg_reads(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = [body_of(each.manifest_list) for each in table.metadata.snapshots]
    listed = [each for snapshot in table.metadata.snapshots for each in snapshot.manifests(table.io)]
    bodies = [body_of(each.manifest_path) for each in listed]
    with monkeypatch.context() as patched:
        if table.metadata.format_version > 1:  # polars reads no manifest of version 1 by PyIceberg
            patched.setattr(paths_in_files, "_slowly", None)
        fast = manifests_in(lists), entries_in(bodies)
    monkeypatch.setattr(paths_in_files, "_frame", lambda *_: None)
    slow = manifests_in(lists), entries_in(bodies)
    assert [ordered(each) for each in fast] == [ordered(each) for each in slow]
    named = sorted((each.manifest_path, each.manifest_length, each.added_snapshot_id) for each in listed)
    assert [tuple(row.values()) for row in ordered(fast[0])] == named
    entries = [(entry, manifest) for manifest in listed for entry in manifest.fetch_manifest_entry(table.io, False)]
    assert sorted((row["path"], row["is_live"], row["file_bytes"]) for row in fast[1].to_pylist()) == sorted(
        (e.data_file.file_path, e.status.name != "DELETED", e.data_file.file_size_in_bytes) for e, _ in entries
    )
    assert {row["kind"] for row in fast[1].to_pylist()} == {"data"}


def test_delete_files_have_their_kinds(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    append_files(lake.create(), 1)
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1)]))
    commit_deletes(lake.load(), delete_file(lake.load(), [("", 2)], equality_id=1))
    head = lake.load().current_snapshot()
    assert head is not None
    bodies = [body_of(each.manifest_path) for each in head.manifests(lake.load().io)]
    fast = ordered(entries_in(bodies))
    monkeypatch.setattr(paths_in_files, "_frame", lambda *_: None)
    assert fast == ordered(entries_in(bodies))
    assert sorted(row["kind"] for row in fast) == ["data", "equality_deletes", "position_deletes"]


def test_nothing_is_nothing() -> None:
    assert manifests_in([]).num_rows == entries_in([]).num_rows == 0


@pytest.mark.parametrize("is_list", [True, False])
def test_a_file_of_the_other_kind_is_refused(table: Table, is_list: bool) -> None:
    head = table.current_snapshot()
    assert head is not None
    body = body_of(head.manifests(table.io)[0].manifest_path if is_list else head.manifest_list)
    with pytest.raises((Malformed, KeyError)):
        (manifests_in if is_list else entries_in)([body])
