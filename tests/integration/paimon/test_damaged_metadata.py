"""Damaged and hostile metadata of a Paimon table: a clear error of the table, never wrong figures."""

import io
import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import fastavro
import pytest

from engine.domain.errors import NotFound, TableUnreadable, Transient
from engine.formats.intake.avro.blocks import container, readable, schema_of
from engine.formats.paimon.connection import PaimonFormat
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import (
    delta_list,
    delta_manifest,
    edit_indexes,
    edit_json,
    edit_list,
    edit_manifest,
    newest,
    replace_manifest,
)
from tests.support.paimon.lakes import PaimonLake


@pytest.fixture(scope="module")
def written(paimon_core: PaimonCore, tmp_path_factory: pytest.TempPathFactory) -> PaimonLake:
    """A table with deletion vectors, two partitions and several snapshots."""
    lake = PaimonLake(paimon_core, tmp_path_factory.mktemp("paimon"))
    lake.create(partition_keys=["day"], primary_keys=["id", "day"], bucket="1", deletion_vectors__enabled="true")
    for count in (600, 20):
        lake.write([[number, f"d{number % 2}", number / 7] for number in range(count)])
    return lake


@pytest.fixture
def lake(written: PaimonLake, tmp_path: Path) -> PaimonLake:
    """A copy of the table."""
    shutil.copytree(written.root, tmp_path / "warehouse")
    return PaimonLake(written.core, tmp_path / "warehouse")


def shorten(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def restated(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Replace a manifest's content and state its size, with the counts of before."""

    def restate(folder: Path) -> None:
        path = delta_manifest(folder)
        body = path.read_bytes()
        records: list[Any] = list(fastavro.reader(io.BytesIO(readable(body))))
        counts = [sum(each["_KIND"] == kind for each in records) for kind in (0, 1)]
        path.write_bytes(change(body))
        replace_manifest(folder, path.stat().st_size, *counts)

    return restate


def of_blocks(*blocks: tuple[int, bytes]) -> Callable[[Path], None]:
    """Replace the blocks of a manifest under its schema."""
    return restated(lambda body: container(schema_of(readable(body)), {}, list(blocks), codec="null"))


def set_in_list(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit_list(folder, lambda records: records[0].update(changes))


def set_field(name: str, value: Any, *, of_file: bool = False) -> Callable[[Path], None]:
    def edit(records: list[Any]) -> None:
        added = next(each for each in records if each["_KIND"] == 0)
        (added["_FILE"] if of_file else added)[name] = value

    return lambda folder: edit_manifest(folder, edit)


def set_schema(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit_json(folder / "schema" / "schema-0", **changes)


def set_snapshot(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit_json(newest(folder), **changes)


def set_types(of_day: str = "STRING NOT NULL", **added: Any) -> Callable[[Path], None]:
    """Change the type of the partition column, and add columns."""

    def change(folder: Path) -> None:
        path = folder / "schema" / "schema-0"
        fields = json.loads(path.read_text())["fields"]
        fields[1]["type"] = of_day
        more = [{"id": 7, "name": name, "type": kind} for name, kind in added.items()]
        edit_json(path, fields=[*fields, *more])

    return change


def set_vector(name: str, value: Any) -> Callable[[Path], None]:
    def edit(records: list[Any]) -> None:
        ranges = [each for record in records for each in record["_DELETIONS_VECTORS_RANGES"] or ()]
        ranges[0][name] = value

    return lambda folder: edit_indexes(folder, edit)


def a_deep_type() -> Any:
    found: Any = "INT"
    for _ in range(200):
        found = {"type": "ARRAY", "element": found}
    return found


def a_wide_type() -> Any:
    fields = [{"id": at, "name": f"x{at}", "type": "INT"} for at in range(30_000)]
    return {"type": "ROW", "fields": fields}


def a_list_that_inflates(folder: Path) -> None:
    path = delta_list(folder)
    plain = bytes(70 * 2**20)
    path.write_bytes(container(schema_of(readable(path.read_bytes())), {}, [(1, plain)], codec="deflate"))
    edit_json(newest(folder), deltaManifestListSize=path.stat().st_size)


BROKEN: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "manifest cut off": (lambda folder: shorten(delta_manifest(folder), 900), "the metadata states"),
    "manifest cut off, size adjusted": (restated(lambda body: body[:-40]), "damaged"),
    "manifest of no bytes": (restated(lambda _: b""), "not an Avro file"),
    "manifest of another format": (restated(lambda body: b"PAR1" + body[4:]), "not an Avro file"),
    "manifest with entries of noise": (of_blocks((2, b"\xff" * 500)), "manifest"),
    "manifest that claims 10^12 entries": (of_blocks((10**12, b"\x00" * 500)), "claim 1000000000000 records"),
    "manifest without entries": (of_blocks(), "its manifest list states"),
    "manifest missing": (lambda folder: delta_manifest(folder).unlink(), "No such file"),
    "manifest that is a folder": (
        lambda folder: (delta_manifest(folder).unlink(), delta_manifest(folder).mkdir())[0],
        "directory",
    ),
    "manifest list missing": (lambda folder: delta_list(folder).unlink(), "No such file"),
    "manifest list cut off": (lambda folder: shorten(delta_list(folder), 800), "the metadata states"),
    "manifest list that inflates": (a_list_that_inflates, "MiB when decompressed from"),
    "manifest list with a path": (set_in_list(_FILE_NAME="../../../etc/passwd"), "can't be the name"),
    "manifest list with negative counts": (set_in_list(_NUM_ADDED_FILES=-1), "number of files of -1"),
    "manifest list of a later version": (set_in_list(_VERSION=9), "version 9"),
    "entry of a later version": (set_field("_VERSION", 3), "version 3"),
    "entry that neither adds nor deletes": (set_field("_KIND", 2), "neither add nor delete"),
    "entry with negative rows": (set_field("_ROW_COUNT", -1, of_file=True), "record_count -1"),
    "entry with a negative size": (set_field("_FILE_SIZE", -(2**63), of_file=True), "file_bytes"),
    "entry with a negative level": (set_field("_LEVEL", -1, of_file=True), "level -1"),
    "entry of an impossible bucket": (set_field("_BUCKET", -7), "bucket -7"),
    "entry with sums beyond 64 bits": (set_field("_FILE_SIZE", 2**62, of_file=True), "no table can have"),
    "entry with a path as name": (set_field("_FILE_NAME", "../../../x.parquet", of_file=True), "slash"),
    "entry without a name": (set_field("_FILE_NAME", "", of_file=True), "empty"),
    "entry twice": (lambda folder: edit_manifest(folder, lambda records: records.append(records[-1])), "twice"),
    "partition of no bytes": (set_field("_PARTITION", b""), "not a row of the partition columns"),
    "partition of another arity": (set_field("_PARTITION", b"\x00\x00\x00\x07" + bytes(64)), "7 fields"),
    "partition cut off": (set_field("_PARTITION", b"\x00\x00\x00\x01\x00"), "cut off"),
    "partition with a text past its end": (
        set_field("_PARTITION", b"\x00\x00\x00\x01" + bytes(8) + b"\xff\xff\xff\x7f\x10\x00\x00\x00"),
        "past its end",
    ),
    "partition of no UTF-8": (
        set_field("_PARTITION", b"\x00\x00\x00\x01" + bytes(8) + b"\xff\xff\x00\x00\x00\x00\x00\x82"),
        "not a row of the partition columns",
    ),
    "index manifest missing": (
        lambda folder: (folder / "manifest" / json.loads(newest(folder).read_text())["indexManifest"]).unlink(),
        "No such file",
    ),
    "index manifest with a path": (set_snapshot(indexManifest="/etc/passwd"), "can't be the name"),
    "index manifest that is a manifest list": (
        lambda folder: edit_json(newest(folder), indexManifest=delta_list(folder).name),
        "version 2",
    ),
    "deletion vector of negative rows": (set_vector("_CARDINALITY", -1), "deletes -1 rows"),
    "deletion vector of more rows than the file has": (set_vector("_CARDINALITY", 10**9), "more rows than"),
    "deletion vectors twice": (
        lambda folder: edit_indexes(folder, lambda records: records.extend(list(records))),
        "two deletion vectors",
    ),
    "snapshot that is no JSON": (lambda folder: newest(folder).write_text("{"), "not a JSON document"),
    "snapshot that is a list": (lambda folder: newest(folder).write_text("[]"), "not a JSON object"),
    "snapshot of no bytes": (lambda folder: newest(folder).write_bytes(b""), "not a JSON document"),
    "snapshot of deep JSON": (lambda folder: newest(folder).write_text('{"id":' + "[" * 10**5), "not a JSON document"),
    "snapshot of many values": (lambda folder: newest(folder).write_text("[" * 10**6), "JSON values"),
    "snapshot of 5 MiB": (lambda folder: newest(folder).write_bytes(b" " * 5 * 2**20), "4 MiB"),
    "snapshot of another id": (set_snapshot(id=999), "its id is 999"),
    "snapshot with an id that is a text": (set_snapshot(id="1"), "id is a str"),
    "snapshot with a huge number": (set_snapshot(timeMillis=10**400), "a number of"),
    "snapshot without a manifest list": (set_snapshot(baseManifestList=None), "baseManifestList is missing"),
    "snapshot of a later version": (set_snapshot(version=99), "its version is 99"),
    "snapshot committed before 1970": (set_snapshot(timeMillis=-1), "timeMillis"),
    "snapshot committed after the year 9999": (set_snapshot(timeMillis=10**17), "at no time"),
    "snapshot of an unknown schema": (set_snapshot(schemaId=5), "schema 5"),
    "schema that is no JSON": (
        lambda folder: (folder / "schema" / "schema-0").write_text("nul"),
        "not a JSON document",
    ),
    "schema of another id": (set_schema(id=4), "its id is 4"),
    "schema with an unknown type": (set_types(odd="GEOMETRY"), "'GEOMETRY' is not known"),
    "schema with a type that is a number": (set_types(odd=7), "neither a text nor an object"),
    "schema with an unknown object": (set_types(odd={"type": "GRAPH"}), "'GRAPH' is not known"),
    "schema with a row without fields": (set_types(odd={"type": "ROW"}), "no name"),
    "schema with deep types": (set_types(odd=a_deep_type()), "nested 65 levels deep; 64 is the limit"),
    "schema with many fields": (set_types(odd=a_wide_type()), "has 30,00. fields, .* 20,000 is the limit"),
    "schema with a key that is no column": (set_schema(partitionKeys=["nothing"]), "not a column"),
    "schema with a key twice": (set_schema(primaryKeys=["id", "id"]), "twice"),
    "schema with options that are no texts": (set_schema(options={"bucket": 1}), "not an object of texts"),
    "schema with buckets that are no number": (set_schema(options={"bucket": "many"}), "the option bucket"),
    "schema with a switch that is none": (set_schema(options={"bucket": "1", "write-only": "maybe"}), "write-only"),
    "schema partitioned by a time": (
        set_types(of_day="TIMESTAMP(9)"),
        r"partition column day is of type TIMESTAMP\(9\), which is not supported: partition by .* of up to 6 digits",
    ),
    "schema partitioned by a double": (set_types(of_day="DOUBLE"), "partition column day is of type DOUBLE"),
    "manifests in ORC": (
        set_schema(options={"bucket": "1", "manifest.format": "orc"}),
        "manifest.format is 'orc': only manifests in Avro are read; set it to avro",
    ),
}
UNSUPPORTED: set[str] = {
    "schema with a switch that is none",
    "schema with buckets that are no number",
    "snapshot of a later version",
    "schema with an unknown type",
    "schema with an unknown object",
    "schema partitioned by a time",
    "schema partitioned by a double",
    "manifests in ORC",
    "manifest list of a later version",
    "entry of a later version",
    "index manifest that is a manifest list",
}
"""What is not damaged: there is nothing to repair."""


@pytest.mark.parametrize("label", BROKEN)
def test_damage_is_an_error_of_the_table(lake: PaimonLake, label: str) -> None:
    damage, text = BROKEN[label]
    damage(lake.folder)
    with pytest.raises(TableUnreadable, match=text) as caught:
        lake.open().digest()
    assert str(lake.ref) in caught.value.message
    assert ("repair the table's metadata" in caught.value.message) is (label not in UNSUPPORTED)
    assert caught.value.message.isprintable()


def test_a_table_whose_metadata_is_sound_is_read_after_an_edit_that_changes_nothing(lake: PaimonLake) -> None:
    before = lake.open().digest()
    edit_manifest(lake.folder, lambda _records: None)
    edit_indexes(lake.folder, lambda _records: None)
    assert lake.open().digest() == before


@pytest.mark.parametrize("hint", [b"1", b"0", b"-3", b"99", b"none", b"", b"\xff\xfe", b"9" * 40, b" " * 9999, None])
def test_the_newest_snapshot_is_found_whatever_the_hint_is(lake: PaimonLake, hint: bytes | None) -> None:
    before = lake.open()
    path = lake.folder / "snapshot" / "LATEST"
    if hint is None:
        path.unlink()
    else:
        path.write_bytes(hint)
    table = lake.open()
    assert table.head_snapshot_id == before.head_snapshot_id
    assert table.digest() == before.digest()


def test_other_files_between_snapshots_and_schemas_are_ignored(lake: PaimonLake) -> None:
    before = lake.open().head_snapshot_id
    for name in ("snapshot-", "snapshot-01", "snapshot-x", "snapshot-9999999999999999999999", ".snapshot-99.tmp"):
        (lake.folder / "snapshot" / name).write_text("{}")
    (lake.folder / "snapshot" / "LATEST").unlink()
    (lake.folder / "schema" / "schema-1.tmp").write_text("{}")
    assert lake.open().head_snapshot_id == before


def test_a_snapshot_that_expires_while_it_is_read_is_read_again_later(lake: PaimonLake) -> None:
    table = lake.open()
    delta_list(lake.folder).unlink()
    newest(lake.folder).unlink()
    with pytest.raises(Transient, match="changed while it was read"):
        table.digest()


def test_a_table_without_a_schema_is_none(lake: PaimonLake) -> None:
    (lake.folder / "schema" / "schema-0").unlink()
    with pytest.raises(NotFound):
        lake.open()


def test_a_file_elsewhere_is_marked_and_not_opened(lake: PaimonLake) -> None:
    set_field("_EXTERNAL_PATH", "file:///etc/passwd", of_file=True)(lake.folder)
    rows = lake.open().digest().to_pylist()
    assert [row["path"] for row in rows if row["is_outside"]] == ["file:///etc/passwd"]


def test_a_damaged_table_leaves_the_others_of_its_catalog_alone(lake: PaimonLake) -> None:
    shutil.copytree(lake.folder, lake.root / "lake.db" / "sound")
    (lake.folder / "schema" / "schema-0").write_text("nul")
    sound = PaimonLake(lake.core, lake.root, "sound")
    assert sound.open().digest().num_rows
    newest(lake.folder).write_bytes(b" " * 5 * 2**20)
    found = PaimonFormat().connect("lake", lake.properties).pointers([lake.ref, sound.ref])
    assert set(found) == {sound.ref}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 4))])
def test_flipped_bytes_are_an_error_of_the_table_or_harmless(lake: PaimonLake, seed: int) -> None:
    chance = Random(seed)
    files = [path for folder in ("manifest", "snapshot", "schema") for path in (lake.folder / folder).iterdir()]
    for _ in range(60):
        path = chance.choice(files)
        before = path.read_bytes()
        flipped = bytearray(before)
        for _ in range(chance.choice([1, 1, 2, 8])):
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        path.write_bytes(flipped)
        with suppress(TableUnreadable, Transient, NotFound):
            table = lake.open()
            table.digest().validate(full=True)
            json.dumps(table.describe())
            table.figures()
            table.snapshots(10)
        path.write_bytes(before)
    assert lake.open().digest().num_rows
