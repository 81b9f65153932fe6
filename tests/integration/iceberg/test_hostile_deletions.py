"""Files whose paths in the metadata lead elsewhere: whatever expired manifests name, only the table's files go."""

from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table
from pyiceberg.typedef import Record
from structlog.testing import capture_logs

from engine.domain.errors import NotEligible, TableReplaced
from engine.formats.iceberg.removal.records import records_of
from engine.formats.intake.limits import Malformed
from engine.formats.removal.file_lists import LISTED, FileKind, FileList, ListWriter, Origin, listed
from engine.formats.removal.path_keys import keys_of
from engine.formats.removal.scopes import OF_OTHERS, OUTSIDE, PROTECTED, UNCLEAR, RefusedFiles, Scope
from engine.formats.removal.searches import CANDIDATES, Search
from tests.support.expired_files import Deletion, ids, needed, stored
from tests.support.iceberg_tables import RUN_ID, Lake, append_files, orders
from tests.support.orphans import stored_looks

OWN = "s3://lake/wh/orders"


def local(path: str) -> Path:
    return Path("/" + path.removeprefix("file:").lstrip("/"))


def name_files(table: Table, paths: list[str]) -> None:
    """Append data files with these paths, which nothing checks."""
    with table.transaction() as change, change.update_snapshot().fast_append() as append:
        for path in paths:
            made = DataFile.from_args(
                content=DataFileContent.DATA, file_path=path, file_format=FileFormat.PARQUET, partition=Record(),
                record_count=1, file_size_in_bytes=1,
            )  # fmt: skip
            made.spec_id = 0
            append.append_data_file(made)


def test_expired_entries_with_any_path_delete_no_file_that_is_needed_or_outside(lake: Lake, tmp_path: Path) -> None:
    other = lake.create("other")
    append_files(other, 1)
    table = lake.create()
    append_files(table, 2)
    base, head = lake.load().location(), ids(lake.load().metadata)[-1]
    live = next(path for path in needed(lake.load()) if path.endswith(".parquet")).removeprefix("file:")
    theirs = next(path for path in needed(lake.load("other")) if path.endswith(".parquet"))
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    spellings = [
        f"file:{live}", f"file://{live}", live, f"file://localhost{live}", f"FILE://{live}", f"{live}/", f"{live}?x",
        f"file://{live}#x", live.replace("/data/", "//data//"), live.replace("/data/", "/./data/"),
        live.replace("/data/", "/data/../data/"), live.replace("/data/", "/%2e%2e/data/"),
        live.replace("/data/", "\\data\\"),
    ]  # fmt: skip
    others = [
        theirs, str(secret), f"{base}/../../../../secret.txt", f"{base}/data/../../../../../secret.txt", "", "/", base,
        f"{base}/", f"{base}/data", f"{base}/metadata", "s3://lake/x.parquet", "http://host/x", "data/relative.parquet",
        lake.load().metadata_location, f"{base}/metadata/version-hint.text", f"{base}\x00/x",
        f"{base}/data/{'x' * 5000}",
        f"file://evil{live}", f"{base}/metadata/packhouse-deletions/{RUN_ID}/expired-1.parquet",
    ]  # fmt: skip
    garbage = f"{base}/data/garbage.parquet"
    local(garbage).write_bytes(b"x")
    local(f"{base}/metadata/version-hint.text").write_text("7")
    name_files(lake.load(), [*spellings, *others, garbage])
    lake.load().manage_snapshots().set_current_snapshot(head).commit()
    hostile = [each for each in ids(lake.load().metadata) if each not in ids(table.refresh().metadata)[:2]]
    before = stored(lake.load()) | stored(lake.load("other"))
    recorded, tally, proof = Deletion(lake).run(hostile)
    gone = before - stored(lake.load()) - stored(lake.load("other"))
    assert needed(lake.load()) <= stored(lake.load())
    assert secret.exists()
    assert [path.rpartition("/")[2] for path in gone if path.endswith(".parquet")] == ["garbage.parquet"]
    assert all(path.endswith(".avro") for path in gone if not path.endswith(".parquet"))
    assert all(each.holds for each in proof)
    assert sum(recorded.refused.counts.values()) >= 15
    assert set(tally.failed) <= {FileKind.DATA}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (f"{OWN}/data/a.parquet", None),
        ("s3a://lake/wh/orders/data/day=1/a%20b.parquet", None),
        (f"{OWN}/data/a..b.parquet", None),
        ("s3://lake/wh/orders2/data/a.parquet", OUTSIDE),
        ("s3://Lake/wh/orders/data/a.parquet", OUTSIDE),
        ("gs://lake/wh/orders/data/a.parquet", OUTSIDE),
        ("/wh/orders/data/a.parquet", OUTSIDE),
        ("wh/orders/a", OUTSIDE),
        ("", OUTSIDE),
        (OWN, OUTSIDE),
        (f"{OWN}/../other/a.parquet", OUTSIDE),
        (f"{OWN}/%2E%2e/other/a.parquet", OUTSIDE),
        (f"{OWN}/data/a\n.parquet", OUTSIDE),
        (f"{OWN}/data/", UNCLEAR),
        (f"{OWN}/data/a.parquet/", UNCLEAR),
        (f"{OWN}//data/a.parquet", UNCLEAR),
        (f"{OWN}/data/a.parquet?versionId=1", UNCLEAR),
        (f"{OWN}/data/a.parquet#1", UNCLEAR),
        (f"{OWN}/inner/data/a.parquet", OF_OTHERS),
        ("s3n://lake/wh/orders/inner/x", OF_OTHERS),
        (f"{OWN}/inner%2Fx", OF_OTHERS),
        (f"{OWN}/metadata/00001-x.metadata.json", PROTECTED),
        (f"{OWN}/metadata/v3.metadata.json.gz", PROTECTED),
        (f"{OWN}/metadata/version-hint.text", PROTECTED),
        (f"{OWN}/metadata/packhouse-deletions/run_1/files-1.parquet", PROTECTED),
    ],
)
def test_a_path_decides_whether_a_file_may_be_deleted(path: str, reason: str | None) -> None:
    refused = RefusedFiles()
    scope = Scope.of(OWN, ["s3a://lake/wh/orders/inner/"])
    allowed = scope.allowed(listed([path], FileKind.DATA), refused)
    assert dict(refused.counts) == ({} if reason is None else {reason: 1})
    assert allowed.num_rows == (reason is None)


def test_f30_a_folder_that_is_a_link_deletes_no_file_of_another_table(lake: Lake) -> None:
    """The link is in the table's own folder; a link above it, as on a mounted disk, is followed."""
    append_files(lake.create("other"), 1)
    append_files(lake.create(), 2)
    base, known = lake.load().location(), ids(lake.load().metadata)
    (theirs,) = local(f"{lake.load('other').location()}/data").glob("*.parquet")
    local(f"{base}/data/inner").symlink_to(theirs.parent)
    linked, garbage = f"{base}/data/inner/{theirs.name}", f"{base}/data/garbage.parquet"
    local(garbage).write_bytes(b"x")
    name_files(lake.load(), [linked, garbage])
    lake.load().manage_snapshots().set_current_snapshot(known[-1]).commit()
    Deletion(lake).run([each for each in ids(lake.load().metadata) if each not in known])
    assert (theirs.exists(), local(garbage).exists()) == (True, False)
    with pytest.raises(NotEligible, match="link"):
        lake.open()._fresh().table.io.delete(linked)
    assert theirs.exists()


@pytest.mark.parametrize("kind", [FileKind.METADATA, FileKind.STATISTICS, FileKind.MANIFEST, FileKind.MANIFEST_LIST])
@pytest.mark.parametrize("name", ["00001-x.metadata.json", "version-hint.text"])
def test_f30_names_of_metadata_are_for_metadata_files_and_the_hint_of_the_version_never_goes(
    kind: FileKind, name: str
) -> None:
    allowed = Scope.of(OWN).allowed(listed([f"{OWN}/metadata/{name}"], kind), RefusedFiles())
    assert allowed.num_rows == (kind is FileKind.METADATA and name != "version-hint.text")


@pytest.mark.parametrize(
    "other",
    [
        "file:/w/t/data/a b%20", "file:///w/t/data/a b%20", "/w/t/data/a b%20", "file://localhost/w/t/data/a b%20",
        "s3://bucket/w/t/data/a b%20", "s3a://bucket/w/t/data/a b%20", "/w//t///data/a b%20/", "//w/t/data/a b%20?x#y",
        "abfss://c@account.dfs.core.windows.net/w/t/data/a b%20",
        "wasbs://c@account.blob.core.windows.net/w/t/data/a b%20",
    ],
)  # fmt: skip
def test_paths_that_may_be_one_file_have_one_key(other: str) -> None:
    one, two, third = keys_of(pa.array(["/w/t/data/a b%20", other, "/w/t/data/a b "]))
    assert one == two != third


def test_a_stored_list_that_was_changed_deletes_nothing_else(lake: Lake, tmp_path: Path) -> None:
    table = lake.create()
    append_files(table, 3)
    lake.load().overwrite(orders(range(10)))
    deletion = Deletion(lake)
    files = deletion.expire(ids(lake.load().metadata)[:-1])
    recorded = files.find()
    secret = tmp_path / "secret"
    secret.write_text("x")
    wrong = [str(secret), *sorted(needed(lake.load())), f"{table.location()}/../x"]
    changed = ListWriter(recorded.files.origin)
    changed.add(listed([*wrong, *wrong], FileKind.DATA))
    records_of(deletion.view(), RUN_ID).write_files(changed.finish())
    assert deletion.finish(deletion.begin())[1].deleted == {}
    assert secret.exists()
    assert needed(lake.load()) <= stored(lake.load())


@pytest.mark.parametrize("body", [b"", b"PAR1", b"x" * 100, None])
def test_a_stored_list_that_is_incomplete_is_made_again(lake: Lake, body: bytes | None) -> None:
    table = lake.create()
    append_files(table, 3)
    lake.load().overwrite(orders(range(10)))
    deletion = Deletion(lake)
    recorded = deletion.expire(ids(lake.load().metadata)[:-1]).find()
    path = local(recorded.path)
    path.write_bytes(path.read_bytes()[:-9] if body is None else body)
    again, tally, _ = deletion.finish(deletion.begin())
    assert again.files.samples(1000) == recorded.files.samples(1000)
    assert tally.deleted == recorded.files.counts()


def test_a_list_of_another_table_is_refused(lake: Lake) -> None:
    table = lake.create()
    append_files(table, 2)
    deletion = Deletion(lake)
    files = deletion.expire(ids(lake.load().metadata)[:-1])
    origin = Origin("00000000-0000-0000-0000-000000000000", 0, 0)
    records_of(deletion.view(), RUN_ID).write_roots(FileList.read(ListWriter(origin).finish().body))
    with pytest.raises(TableReplaced, match="another one now"):
        files.find()


def of_one_path(rows: int, schema: pa.Schema, metadata: dict[bytes, bytes]) -> bytes:
    """A Parquet file that has one path of 64 KB once, for all rows."""
    path = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), ["x" * 2**16])
    others = [pa.repeat(pa.scalar("data" if pa.types.is_string(each.type) else 1, each.type), rows) for each in schema]
    once = schema.set(0, schema.field(0).with_type(path.type))
    stream = BytesIO()
    with pq.ParquetWriter(stream, once, store_schema=False, compression="zstd") as writer:
        writer.write_table(pa.table([path, *others[1:]], schema=once))
        writer.add_key_value_metadata(metadata)
    return stream.getvalue()


def test_a_small_list_that_decodes_to_much_memory_is_refused() -> None:
    origin = Origin("u", 1, 1)
    assert FileList.read(of_one_path(1_000, LISTED, origin.document())).rows == 1_000
    body = of_one_path(5_000, LISTED, origin.document())
    assert len(body) < 10_000
    with pytest.raises(Malformed, match="256 MiB"):
        FileList.read(body)


def test_a_small_look_that_decodes_to_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {b"packhouse.look": b'[["u", 1, 1], 2, 1, []]'}
    assert Search.read(of_one_path(10, CANDIDATES, told)).files.num_rows == 10
    body = of_one_path(17_000, CANDIDATES, told)
    assert len(body) < 10_000
    with pytest.raises(Malformed) as raised:
        Search.read(body)
    assert "1024 MiB" in str(raised.value.__cause__)
    monkeypatch.setattr("engine.formats.removal.searches._MOST_FILES", 9)
    with pytest.raises(Malformed):
        Search.read(of_one_path(10, CANDIDATES, told))


@pytest.mark.parametrize(
    "told", [b"5", b"[]", b'[["u", 1], 2, 1, []]', b'[["u", null, 1], 2, 1, []]', b'[["u",1,1],2,1,["x"]]']
)
def test_a_look_with_another_origin_is_none(told: bytes) -> None:
    with pytest.raises(Malformed):
        Search.read(of_one_path(10, CANDIDATES, {b"packhouse.look": told}))


def test_f51_a_stored_look_that_can_t_be_read_is_logged_and_a_fault_of_ours_is_none(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a look the quarantine begins again: if each look was taken for damaged, no file would ever leave it."""
    lake.create()
    looks = stored_looks(lake)
    looks.stored.write(f"{looks.folder}/look-1.parquet", b"PAR1 and no more")
    with capture_logs() as logged:
        assert looks.latest() is None
    assert [(each["event"], each["path"]) for each in logged] == [
        ("stored_look_not_read", f"{looks.folder}/look-1.parquet")
    ]
    monkeypatch.setattr("engine.formats.removal.searches.check_decoded", None)
    looks.stored.write(f"{looks.folder}/look-1.parquet", of_one_path(10, CANDIDATES, {}))
    with pytest.raises(TypeError):
        looks.latest()


def test_f51_a_fault_of_ours_is_no_damage_of_expired_files(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be left in the store as "damaged", and the run would succeed."""
    table = lake.create()
    append_files(table, 3)
    deletion = Deletion(lake)
    files = deletion.expire(ids(lake.load().metadata)[:-1])
    monkeypatch.setattr("engine.formats.iceberg.intake.storage.readable", lambda _body: object().closed)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="closed"):
        files.find()
