"""Copies of an Iceberg table in a SQL catalog, as if the table had just been written to another folder.

Writing the table that most tests of whole runs begin with takes four times as long as copying it with new locations.
"""

import io
import json
import re
import shutil
import sqlite3
import uuid
from pathlib import Path
from typing import Any

import fastavro

_TIMES = re.compile(r'("(?:timestamp-ms|last-updated-ms)":\s*)(\d+)')


def copy_lake(written: Path, folder: Path) -> None:
    """Copy `catalog.db` and `warehouse` of a folder to an empty one.

    The copy has an identity of its own, and its newest commit is as old as the copy.
    """
    shutil.copytree(written / "warehouse", folder / "warehouse", copy_function=shutil.copyfile)
    old, new = f"file://{written}", f"file://{folder}"
    for metadata in folder.glob("warehouse/**/metadata"):
        lists = sorted(metadata.glob("snap-*.avro"))
        for manifest in set(metadata.glob("*.avro")) - set(lists):
            _rewrite(manifest, old, new)
        sizes = {f"file://{path}": path.stat().st_size for path in metadata.glob("*.avro")}
        for snapshot in lists:
            _rewrite(snapshot, old, new, sizes)
        _move_metadata(metadata, old, new)
    _copy_catalog(written / "catalog.db", folder / "catalog.db", old, new)


def _rewrite(file: Path, old: str, new: str, sizes: dict[str, int] | None = None) -> None:
    """Write an Avro file again with other locations, and the sizes of the manifests that a list names."""
    with file.open("rb") as stream:
        reader = fastavro.reader(stream)
        schema, metadata, codec = reader.writer_schema, reader.metadata, reader.codec
        records: list[Any] = list(reader)
    for record in records:
        entry = record.get("data_file", record)
        name = "file_path" if "file_path" in entry else "manifest_path"
        entry[name] = entry[name].replace(old, new)
        if sizes is not None:
            entry["manifest_length"] = sizes[entry[name]]
    kept = {name: value for name, value in metadata.items() if not name.startswith("avro.")}
    copy = io.BytesIO()
    fastavro.writer(copy, schema, records, codec=codec, metadata=kept)
    header = fastavro.reader(io.BytesIO(copy.getvalue())).metadata["avro.schema"]  # the same, its keys in another order
    assert len(header) == len(metadata["avro.schema"])
    file.write_bytes(copy.getvalue().replace(header.encode(), metadata["avro.schema"].encode(), 1))


def _move_metadata(folder: Path, old: str, new: str) -> None:
    """Write the metadata files again with other locations, another identity and later times."""
    files = sorted(folder.glob("*.metadata.json"))
    newest = json.loads(files[-1].read_text())
    later = int(files[-1].stat().st_mtime * 1000) - newest["last-updated-ms"]
    identity = str(uuid.uuid4())
    for file in files:
        text = file.read_text().replace(old, new).replace(newest["table-uuid"], identity)
        file.write_text(_TIMES.sub(lambda found: f"{found[1]}{int(found[2]) + later}", text))


def _copy_catalog(written: Path, copy: Path, old: str, new: str) -> None:
    shutil.copyfile(written, copy)
    with sqlite3.connect(copy) as catalog:
        for column in ("metadata_location", "previous_metadata_location"):
            catalog.execute(f"UPDATE iceberg_tables SET {column} = replace({column}, ?, ?)", (old, new))
        catalog.execute(
            "UPDATE iceberg_namespace_properties SET property_value = replace(property_value, ?, ?)", (old, new)
        )
    catalog.close()
