"""Deletes of rows: by Spark in either mode, by PyIceberg, and hand-written delete files, of equality too."""

import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import fastavro
from pyiceberg.expressions import In
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table
from pyiceberg.typedef import Record

from tests.differential.schemas import ID, plain_fields
from tests.differential.writers import Pens
from tests.support.iceberg_tables import commit_deletes, delete_file

MODES = ("write.delete.mode", "write.update.mode", "write.merge.mode")


def change_rows(table: Table, pens: Pens, random: Random) -> str:
    """Delete, update or merge some rows by Spark, merge-on-read or copy-on-write as the table says; return what."""
    key, some = _quoted(table.schema().find_column_name(ID) or ""), random.choice((2, 3, 7))
    hit = f"pmod({key}, {some}) = {random.randrange(some)}"
    optional = [field.name for field in plain_fields(table.schema()) if not field.required]
    kind = random.choice(("delete", "update", "merge")) if optional else "delete"
    cleared = f"{_quoted(random.choice(optional))} = NULL" if optional else ""
    match kind:
        case "delete":
            pens.spark.sql(f"DELETE FROM {pens.name} WHERE {hit}").collect()
        case "update":
            pens.spark.sql(f"UPDATE {pens.name} SET {cleared} WHERE {hit}").collect()
        case "merge":
            source = f"(SELECT {key} AS source_id FROM {pens.name} WHERE {hit})"
            matched = f"WHEN MATCHED AND pmod({key}, 2) = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET {cleared}"
            pens.spark.sql(f"MERGE INTO {pens.name} USING {source} ON {key} = source_id {matched}").collect()
    return f"{kind} by spark where {hit}"


def delete_by_pyiceberg(table: Table, ids: list[int], random: Random) -> str:
    """Delete some rows copy-on-write."""
    chosen = random.sample(ids, min(len(ids), 5))
    table.delete(In(table.schema().find_column_name(ID) or "", chosen))
    return f"delete {chosen} by pyiceberg"


def delete_positions(table: Table, random: Random) -> str:
    """Commit a position-delete file for one data file, or one over all files of its partition, some positions twice."""
    tasks = sorted(table.scan().plan_files(), key=lambda task: (_place(task.file), task.file.record_count))
    if not tasks:
        return "no file to delete from"
    file = random.choice(tasks).file
    aimed = random.random() < 0.5
    beside = [file] if aimed else [t.file for t in tasks if _place(t.file) == _place(file)]
    pairs = [
        (each.file_path, position)
        for each in sorted(beside, key=lambda one: one.file_path)
        for position in sorted(random.sample(range(each.record_count), each.record_count // 3))
    ]
    if not pairs:
        return "too few rows to delete"
    pairs += pairs[-1:] if aimed else []
    partition = _exact_partition(table, file)
    commit_deletes(table, delete_file(table, pairs, spec_id=file.spec_id, partition=partition, aimed=aimed))
    return f"{len(pairs)} positions deleted in {len(beside)} files"


def delete_by_equality(table: Table, ids: list[int], random: Random) -> str:
    """Commit an equality-delete file by id over the whole table, as a stream writer does."""
    spec_id = next((each.spec_id for each in table.specs().values() if not each.fields), None)
    if spec_id is None or table.spec().spec_id != spec_id:
        return "partitioned: no equality delete over the whole table"
    chosen = random.sample(ids, min(len(ids), 4))
    made = delete_file(table, [("", each) for each in chosen], partition=Record(), spec_id=spec_id, equality_id=ID)
    commit_deletes(table, made)
    _mend_equality_ids(table)
    return f"equality delete of {chosen}"


def _mend_equality_ids(table: Table) -> None:
    """Write `equality_ids` of the newest manifest as a list of int: PyIceberg writes long, which Java cannot read."""
    table.refresh()
    head = table.current_snapshot()
    assert head is not None
    lengths = {}
    for manifest in head.manifests(table.io):
        if manifest.added_snapshot_id == head.snapshot_id:
            lengths[manifest.manifest_path] = _rewrite_avro(manifest.manifest_path, _narrow, lambda _entry: None)

    def correct(entry: dict[str, Any]) -> None:
        entry["manifest_length"] = lengths.get(entry["manifest_path"], entry["manifest_length"])

    _rewrite_avro(head.manifest_list, lambda _schema: None, correct)


def _rewrite_avro(uri: str, schema_change: Callable[[Any], None], entry_change: Callable[[Any], None]) -> int:
    """Write an Avro file anew with another schema and other entries; return its length."""
    path = Path(uri.removeprefix("file://"))
    reader = fastavro.reader(io.BytesIO(path.read_bytes()))
    schema, entries = reader.writer_schema, list(reader)
    kept = {key: value for key, value in reader.metadata.items() if not key.startswith("avro.")}
    schema_change(schema)
    for entry in entries:
        entry_change(entry)
    body = io.BytesIO()
    fastavro.writer(body, schema, entries, metadata=kept, codec="deflate")
    return path.write_bytes(body.getvalue())


def _narrow(schema: Any) -> None:
    if isinstance(schema, list):
        for each in schema:
            _narrow(each)
    elif isinstance(schema, dict):
        if schema.get("name") == "equality_ids":
            array = next(each for each in schema["type"] if isinstance(each, dict))
            array["items"] = "int"
            return
        for each in (*schema.get("fields", ()), schema.get("type"), schema.get("items")):
            _narrow(each)


def _exact_partition(table: Table, file: DataFile) -> Record:
    """Return the partition of a file with all bits of its doubles, which PyIceberg (0.12) rounds to floats."""
    head = table.current_snapshot()
    assert head is not None
    for manifest in head.manifests(table.io):
        body = Path(manifest.manifest_path.removeprefix("file://")).read_bytes()
        for entry in fastavro.reader(io.BytesIO(body)):
            if entry["data_file"]["file_path"] == file.file_path:
                written = entry["data_file"]["partition"].values()
                pairs = zip(written, file.partition, strict=True)
                return Record(*(exact if isinstance(exact, float) else read for exact, read in pairs))
    raise AssertionError(f"no manifest lists {file.file_path}")


def _place(file: DataFile) -> tuple[int, str]:
    return file.spec_id, repr(file.partition)


def _quoted(name: str) -> str:
    return f"`{name}`"
