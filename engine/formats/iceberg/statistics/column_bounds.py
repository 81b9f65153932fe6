"""Read column bounds of all live data files as ranks, from which the overlap of files is computed.

Manifests contain bounds as Iceberg's single values by field id. A manifest is decoded as a whole by polars, once for
each set of columns (`ManifestCache`); unsupported ones are read entry by entry. Bounds are compared as stored,
including truncated text, so the computed overlap of files may be slightly too large.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import fastavro
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent, ManifestFile
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
)

from engine.formats.iceberg.errors import decoding
from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.iceberg.manifests.decoding import DELETED
from engine.formats.iceberg.manifests.entry_types import check_types
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.statistics.bounds import DAYS
from engine.formats.intake.avro.columns import UNREADABLE
from engine.planning.measures.overlaps import UNKNOWN, ColumnRanges

_TIMESTAMPS: Final = (TimestampType, TimestamptzType, TimestampNanoType, TimestamptzNanoType)
_NUMBERS: Final = (IntegerType, LongType, DateType, TimeType, *_TIMESTAMPS)
_WIDEST_DECIMAL: Final = 16
_MOST: Final = 2**63 - 1

Texts = npt.NDArray[np.uint8]


def column_ranges(view: TableView, field_ids: Sequence[int], paths: pa.ChunkedArray) -> Sequence[ColumnRanges]:
    """Return the ranges of columns in the files at these paths, one for each field id."""
    data = [each for each in view.manifests(view.head) if each.content == ManifestContent.DATA]
    found = pa.concat_tables([_schema(field_ids).empty_table(), *(_bounds(view, each, field_ids) for each in data)])
    rows = pc.index_in(paths, value_set=found["path"].combine_chunks())
    schema = view.metadata.schema()
    return [
        ColumnRanges(*_ranks(found[f"lower_{at}"].take(rows), found[f"upper_{at}"].take(rows), schema.find_type(each)))
        for at, each in enumerate(field_ids)
    ]


def _schema(field_ids: Sequence[int]) -> pa.Schema:
    bounds = [(f"{side}_{at}", pa.large_binary()) for at in range(len(field_ids)) for side in ("lower", "upper")]
    return pa.schema([("path", pa.string()), *bounds])


def _bounds(view: TableView, manifest: ManifestFile, field_ids: Sequence[int]) -> pa.Table:
    def read() -> pa.Table:
        file = view.io.new_input(manifest.manifest_path)
        with decoding(f"manifest {manifest.manifest_path}"), file.open() as stream:
            return read_bounds(stream.read(), field_ids)

    key = f"{manifest.manifest_path}#{','.join(map(str, field_ids))}"
    return view.reader.cache.get((key, manifest.manifest_length), read)


def read_bounds(body: bytes, field_ids: Sequence[int]) -> pa.Table:
    """Return path and bounds (`lower_0`, `upper_0`, … by place in `field_ids`) of a data manifest's live entries."""
    written: Any = fastavro.reader(io.BytesIO(body)).writer_schema
    check_types(written)
    entry, file = ids.field_names(written), ids.field_names(ids.record_of(written, ids.DATA_FILE))
    try:
        frame = pl.read_avro(io.BytesIO(body))
    except UNREADABLE:
        return _entry_by_entry(body, entry, file, field_ids)
    live = frame.filter(pl.col(entry[ids.STATUS]) != DELETED)[entry[ids.DATA_FILE]].struct
    path = live.field(file[ids.PATH]).to_arrow().cast(pa.string())
    bounds = [
        _of_field(live.field(file[side]), field_id) if side in file else pa.nulls(len(path), pa.large_binary())
        for field_id in field_ids
        for side in (ids.LOWER, ids.UPPER)
    ]
    return pa.Table.from_arrays([path, *bounds], schema=_schema(field_ids))


def _of_field(maps: pl.Series, field_id: int) -> pa.Array:
    """Return one field's value from a column of maps, which Avro stores as lists of (key, value); null if missing."""
    if maps.dtype == pl.Null:
        return pa.nulls(len(maps), pa.large_binary())
    pairs = pl.DataFrame({"row": np.arange(len(maps)), "pair": maps}).explode("pair").drop_nulls("pair")
    key, value = pairs["pair"].struct.fields
    mine = pairs.unnest("pair").filter(pl.col(key) == field_id)
    places = np.full(len(maps), -1, dtype=np.int64)
    places[mine["row"].to_numpy()] = np.arange(len(mine))
    values = mine[value].cast(pl.Binary).to_arrow().cast(pa.large_binary())
    return values.take(pa.array(places, mask=places < 0))


def _entry_by_entry(
    body: bytes, entry: Mapping[int, str], file: Mapping[int, str], field_ids: Sequence[int]
) -> pa.Table:
    entries: Iterator[Any] = iter(fastavro.reader(io.BytesIO(body)))
    live = [each[entry[ids.DATA_FILE]] for each in entries if each[entry[ids.STATUS]] != DELETED]
    columns: dict[str, list[Any]] = {"path": [each[file[ids.PATH]] for each in live]}
    for at, field_id in enumerate(field_ids):
        for side, number in (("lower", ids.LOWER), ("upper", ids.UPPER)):
            maps = (each.get(file.get(number, "")) or () for each in live)
            columns[f"{side}_{at}"] = [dict(tuple(pair.values()) for pair in one).get(field_id) for one in maps]
    return pa.table(columns, schema=_schema(field_ids))


def _ranks(lower: pa.ChunkedArray, upper: pa.ChunkedArray, of: IcebergType) -> tuple[Any, Any]:
    """Return bounds as ranks among all bounds; a missing one is beyond all others, both are `UNKNOWN` without any.

    Packhouse omits one side of a float column that begins or ends with a zero.
    """
    rows = len(lower)
    both = pa.chunked_array([*lower.chunks, *upper.chunks], type=pa.large_binary()).combine_chunks()
    both = both.chunk(0) if isinstance(both, pa.ChunkedArray) else both
    ranks = pc.rank(_comparable(both, of), tiebreaker="dense").to_numpy().astype(np.int64)
    has_lower, has_upper = lower.is_valid().to_numpy(), upper.is_valid().to_numpy()
    low, high = np.where(has_lower, ranks[:rows], 0), np.where(has_upper, ranks[rows:], 2 * rows + 1)
    known = has_lower | has_upper
    return np.where(known, low, UNKNOWN), np.where(known, high, UNKNOWN)


def _comparable(values: pa.Array, of: IcebergType) -> pa.Array:
    """Return single values in a type that Arrow sorts like the column; promoted columns have values of both widths."""
    if isinstance(of, _NUMBERS):
        return _fixed(values, {4: np.dtype("<i4"), 8: np.dtype("<i8")}, np.dtype(np.int64), short=DAYS.get(type(of), 1))
    if isinstance(of, FloatType | DoubleType):
        return _fixed(values, {4: np.dtype("<f4"), 8: np.dtype("<f8")}, np.dtype(np.float64))
    if isinstance(of, DecimalType):
        return _decimals(values)
    return values


def _fixed(values: pa.Array, widths: Mapping[int, np.dtype[Any]], to: np.dtype[Any], *, short: int = 1) -> pa.Array:
    """Return values as numbers; those of four bytes are in units of `short`, beyond 64 bits the outermost number."""
    made = np.zeros(len(values), dtype=to)
    lengths = _lengths(values)
    for width, of in widths.items():
        found = _bytes_of(values, lengths == width, width).view(of).ravel().astype(to)
        if short > 1 and width == min(widths):
            found = np.clip(found, -(_MOST // short), _MOST // short) * short
        made[lengths == width] = found
    return pa.array(made, mask=~np.isin(lengths, list(widths)))


def _decimals(values: pa.Array) -> pa.Array:
    """Return unscaled big-endian numbers of any length as 16 bytes with the same order."""
    lengths = _lengths(values)
    wide = np.zeros((len(values), _WIDEST_DECIMAL), dtype=np.uint8)
    for width in range(1, _WIDEST_DECIMAL + 1):
        stored = _bytes_of(values, lengths == width, width)
        wide[lengths == width, _WIDEST_DECIMAL - width :] = stored
        wide[lengths == width, : _WIDEST_DECIMAL - width] = np.where(stored[:, :1] > 0x7F, 0xFF, 0)  # noqa: PLR2004
    wide[:, 0] ^= 0x80
    rows = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(values), [None, pa.py_buffer(wide.tobytes())])
    return pc.if_else(pa.array(lengths > 0), rows.cast(pa.binary()), pa.scalar(None, pa.binary()))


def _lengths(values: pa.Array) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = pc.fill_null(pc.binary_length(values), -1).to_numpy().astype(np.int64)
    return found


def _bytes_of(values: pa.Array, flags: npt.NDArray[np.bool_], width: int) -> Texts:
    chosen = values.filter(pa.array(flags)).cast(pa.binary(width))
    stored = np.frombuffer(chosen.buffers()[1] or b"", dtype=np.uint8)
    return stored[chosen.offset * width : (chosen.offset + len(chosen)) * width].reshape(-1, width)
