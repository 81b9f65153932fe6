"""What a small foreign Parquet file, or a small inventory, may become in memory."""

import gzip
import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.errors import NotEligible
from engine.formats.hive.files.footers import _without_arrow_schema, footer_in
from engine.formats.iceberg.intake.storage import HeldFiles
from engine.formats.iceberg.removal.inventories.rows import rows_of
from engine.formats.iceberg.upkeep.deletes.plans import DeleteFile
from engine.formats.iceberg.upkeep.deletes.positions import POSITIONS, LeftAlone, read_positions
from engine.formats.intake.limits import Malformed
from engine.formats.intake.parquet.footers import checked_file
from engine.formats.intake.parquet.pages import check_coded, check_decoded
from engine.formats.removal import listings
from engine.formats.removal.file_lists import LISTED, FileList, Origin
from engine.formats.removal.listings import FOUND, ListedFiles
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import framed
from engine.rewriting.kernel.parquet.thrift import I32, LIST
from tests.support.hostile_footers import EDITS, claiming, edited, footer_of

MIB = 2**20
PLAIN = pa.schema([("path", pa.string()), ("size", pa.int64()), ("modified", pa.timestamp("ms"))])
DELETES = pa.schema([field.with_nullable(False) for field in POSITIONS])


def of_one_text(schema: pa.Schema, text: str, rows: int, **options: Any) -> bytes:
    """Return a Parquet file whose first column has one text in every row."""
    codes = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), [text])
    others = [pa.repeat(pa.scalar("data" if pa.types.is_string(each.type) else 1, each.type), rows) for each in schema]
    once = schema.set(0, schema.field(0).with_type(codes.type))
    target = io.BytesIO()
    options = {"use_dictionary": True, "compression": "zstd", "write_statistics": False} | options
    with pq.ParquetWriter(target, once, store_schema=False, **options) as writer:
        writer.write_table(pa.table([codes, *others[1:]], schema=once))
        writer.add_key_value_metadata(Origin("u", 1, 1).document())
    return target.getvalue()


def as_inventory(body: bytes, name: str = "all.parquet") -> None:
    for _ in rows_of(io.BytesIO(body), name, None):  # type: ignore[arg-type]
        pass


def as_delete_file(body: bytes) -> None:
    file = DeleteFile("x", None, 0, "{}", 1, pq.read_metadata(io.BytesIO(body)).num_rows, len(body))
    read_positions(HeldFiles(body), file)


READERS: dict[str, tuple[pa.Schema, Callable[[bytes], object]]] = {
    "list of files": (LISTED, FileList.read),
    "inventory": (PLAIN, as_inventory),
    "delete file": (DELETES, as_delete_file),
}


@contextmanager
def within(limit: int) -> Iterator[None]:
    """Assert that Arrow allocates no more than a limit at once."""
    pool = pa.system_memory_pool()
    before = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    used, most = pool.bytes_allocated(), pool.max_memory() or 0
    try:
        yield
    finally:
        pa.set_memory_pool(before)
    assert (pool.max_memory() or 0) - used <= max(limit, most - used)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("size", [60, 128])
def test_f42_a_small_file_with_a_large_dictionary_is_refused(reader: str, size: int) -> None:
    """F42: 2.5 kB expanded to 8.4 GB: 64 rows that are one text of 128 MB."""
    schema, read = READERS[reader]
    body = of_one_text(schema, "x" * size * MIB, 64)
    assert len(body) < 20_000
    if reader == "delete file" and size == 60:  # each text is there once
        read(body)
        return
    with within(200 * MIB), pytest.raises((Malformed, LeftAlone), match=r"MiB|bytes when decompressed|than 4096 bytes"):
        read(body)


def test_f42_texts_that_begin_with_the_row_before_are_decoded_few_at_once() -> None:
    """F42: in DELTA_BYTE_ARRAY a page of 2 MiB is 200 texts of 1 MiB, each of which is another one."""
    texts = pa.array([f"{'x' * MIB}{at}" for at in range(200)])
    target = io.BytesIO()
    encodings = {"file_path": "DELTA_BYTE_ARRAY"}
    rows = pa.table([texts, pa.array(range(200))], schema=DELETES)
    pq.write_table(rows, target, use_dictionary=False, column_encoding=encodings, compression="zstd")
    body = target.getvalue()
    with within(220 * MIB), pytest.raises(Malformed, match="more than 100 MiB when they are decoded"):
        check_coded(checked_file(body), body, 100 * MIB)


@pytest.mark.parametrize("edit", EDITS)
def test_f42_a_footer_that_arrow_ends_the_process_for_is_refused(edit: str) -> None:
    """F42: an unknown codec aborts when it is looked at; a list of a million chunks takes 1 GB before it is read."""
    change, text = EDITS[edit]
    body = edited(of_one_text(PLAIN, "s3://lake/a", 10), change)
    with within(50 * MIB), pytest.raises(Malformed, match=text):
        as_inventory(body)


def test_f42_a_footer_that_claims_a_million_columns_is_refused_before_they_are_made() -> None:
    """F42: 106 bytes took 616 MiB and 2 s, as each of the columns is a struct of 600 bytes."""
    sound = of_one_text(PLAIN, "s3://lake/a", 10)
    started = time.process_time()
    with pytest.raises(OSError, match="Exceeded size limit"):
        footer_in(claiming(sound, 900_000)[-500:])
    assert time.process_time() - started < 0.1
    with pytest.raises(Malformed, match="its footer is damaged"):
        checked_file(claiming(sound, 900_000))


def test_f42_fields_of_other_types_are_no_fault_of_ours() -> None:
    """F42: the footer of a file by Arrow is parsed and written again, without the schema that Arrow adds."""
    target = io.BytesIO()
    pq.write_table(pa.table({"x": [1]}), target)
    footer, _ = footer_of(target.getvalue())
    footer[5] = (LIST, (I32, [1]))
    written = thrift.write_struct(footer)
    assert b"ARROW:schema" not in written
    with pytest.raises(Malformed, match="fields of other types"):
        _without_arrow_schema(framed(written))


def test_f42_lists_and_rows_are_limited() -> None:
    """F42: a row of a list has any number of values, and a run of one code any number of rows."""
    target = io.BytesIO()
    pq.write_table(pa.table({"path": [["x"]], "size": [1], "modified": [1]}), target)
    with pytest.raises(Malformed, match=r"list|fields of their own"):
        as_inventory(target.getvalue())
    body = of_one_text(LISTED, "x", 200_000)
    with pytest.raises(Malformed, match=r"200,000 rows in .* stored bytes"):
        check_decoded(checked_file(body), body, [0], MIB)


def csv_of(rows: int, name: str = "s3://lake/t/data/{}.parquet") -> bytes:
    return b"path,size,modified\n" + b"".join(f"{name.format(n)},1,2026-11-01\n".encode() for n in range(rows))


def test_f42_an_inventory_that_inflates_is_refused() -> None:
    """F42: a file of 3.1 MiB took 2.4 GB."""
    body = gzip.compress(b"path,size,modified\n" + b"s3://lake/t/x/metadata/v1.metadata.json,1,2026\n" * 2_000_000)
    started = time.process_time()
    with within(200 * MIB), pytest.raises(Malformed, match=r"MiB of rows|rows in .* stored bytes"):
        as_inventory(body, "all.csv.gz")
    assert time.process_time() - started < 2


def test_f42_a_sound_inventory_is_far_from_the_limits() -> None:
    """F42: 200,000 names that differ by a number only, with the same size and day, as no store has them."""
    rows = list(rows_of(io.BytesIO(gzip.compress(csv_of(200_000), 9)), "all.csv.gz", None))  # type: ignore[arg-type]
    assert sum(each.num_rows for each in rows) == 200_000


@pytest.mark.parametrize("limit", ["_MOST_FILES", "_MOST_METADATA", "_MOST_TABLES"])
def test_f42_a_listing_is_limited(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """F42: what is kept of each file, and the path of each table that a listing shows."""
    monkeypatch.setattr(listings, limit, 100)
    found = ListedFiles(before_us=1)
    paths = [f"s3://lake/t/{n}/metadata/v1.metadata.json" for n in range(60)]
    found.add(pa.table([paths, [1] * 60, [1] * 60], schema=FOUND))
    with pytest.raises(NotEligible, match=r"more than 100 .* are listed below the table's location"):
        found.add(
            pa.table([[f"{each}.gz/metadata/v1.metadata.json" for each in paths], [1] * 60, [1] * 60], schema=FOUND)
        )
