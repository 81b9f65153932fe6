"""Change the metadata of a table in place, with sizes and counts that still fit unless a test wants otherwise."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.formats.intake.avro.blocks import readable
from tests.support.foreign_avro import edited

Edit = Callable[[list[Any]], None]


def newest(folder: Path) -> Path:
    """The newest snapshot file."""
    return max((folder / "snapshot").glob("snapshot-*"), key=lambda path: int(path.name.rpartition("-")[2]))


def edit_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def edit_records(path: Path, edit: Edit) -> int:
    """Edit the records of an Avro file; return its new size."""
    body = edited(readable(path.read_bytes()), edit)
    path.write_bytes(body)
    return len(body)


def delta_list(folder: Path) -> Path:
    """The list of the newest snapshot's own manifests."""
    return folder / "manifest" / json.loads(newest(folder).read_text())["deltaManifestList"]


def edit_list(folder: Path, edit: Edit) -> None:
    """Edit the entries of the newest snapshot's own manifest list."""
    size = edit_records(delta_list(folder), edit)
    edit_json(newest(folder), deltaManifestListSize=size)


def delta_manifest(folder: Path) -> Path:
    """The first of the newest snapshot's own manifests."""
    names: list[str] = []
    edit_records(delta_list(folder), lambda records: names.append(records[0]["_FILE_NAME"]))
    edit_list(folder, lambda _records: None)
    return folder / "manifest" / names[0]


def edit_manifest(folder: Path, edit: Edit) -> None:
    """Edit the entries of the first of the newest snapshot's own manifests; counts and sizes are adjusted."""
    path = delta_manifest(folder)
    counts: list[list[int]] = []

    def count(records: list[Any]) -> None:
        edit(records)
        counts.append([sum(each["_KIND"] == kind for each in records) for kind in (0, 1)])

    replace_manifest(folder, edit_records(path, count), *counts[0])


def replace_manifest(folder: Path, size: int, added: int, deleted: int) -> None:
    """State another size and other counts of the first of the newest snapshot's own manifests."""

    def change(records: list[Any]) -> None:
        records[0] |= {"_FILE_SIZE": size, "_NUM_ADDED_FILES": added, "_NUM_DELETED_FILES": deleted}

    edit_list(folder, change)


def edit_indexes(folder: Path, edit: Edit) -> None:
    """Edit the newest snapshot's index manifest."""
    edit_records(folder / "manifest" / json.loads(newest(folder).read_text())["indexManifest"], edit)
