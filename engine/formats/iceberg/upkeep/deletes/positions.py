"""Read position-delete files as columns, and find the rows that apply to live data files.

The content of a delete file is foreign: one that can't be read as the specification defines it is left alone, and so
is one that names a live data file to which it does not apply (of another partition, newer, or under another spelling of
its path), because readers disagree about such rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.io import FileIO

from engine.formats.iceberg.errors import is_of_content, summary_of
from engine.formats.iceberg.manifests.decoding import DeleteIdentity
from engine.formats.iceberg.upkeep.deletes.plans import MOST_BYTES, MOST_ROWS, DeleteFile
from engine.formats.intake.errors import decoding_bytes, is_refusal
from engine.formats.intake.overlapping import overlapped
from engine.formats.intake.parquet.footers import CheckedFile, checked_file
from engine.formats.intake.parquet.pages import check_coded

FILE_PATH_ID: Final = 2147483546
POSITION_ID: Final = 2147483545
POSITIONS: Final = pa.schema(
    [
        pa.field("file_path", pa.string(), nullable=False, metadata={"PARQUET:field_id": str(FILE_PATH_ID)}),
        pa.field("pos", pa.int64(), nullable=False, metadata={"PARQUET:field_id": str(POSITION_ID)}),
    ]
)
_MOST_DECODED: Final = 512 * 2**20
"""Decoded size of a delete file by its footer."""
_READ_AT_ONCE: Final = 16
_FETCHED_BYTES: Final = 2 * MOST_BYTES
"""Stored size of the delete files that are fetched at a time, by the largest one."""
_MOST_KEPT: Final = 64 * 2**20
_KEPT_OVERHEAD: Final = 1_000
"""Bytes of the objects of a file's rows, measured."""
_CODED: Final = pa.dictionary(pa.int32(), pa.string())
_Mask = npt.NDArray[np.bool_]
_ERRORS: Final = frozenset({"missing", "refused", "unreadable", "wrong_schema", "wrong_count", "negative_position"})


class LeftAlone(Exception):
    """A delete file is not rewritten. `reason`: a code; `detail`: the error that was found, empty without one."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail

    @property
    def is_error(self) -> bool:
        """Whether readers of the table fail on the file too, or read something undefined."""
        return self.reason in _ERRORS


@dataclass(frozen=True, slots=True)
class Positions:
    """Rows of delete files: codes of `paths`, which has each path once, and positions. Arrays of equal length."""

    paths: pa.Array
    codes: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]

    def only(self, mask: _Mask) -> "Positions":
        """Return the rows where a mask over the rows is true."""
        return Positions(self.paths, self.codes[mask], self.positions[mask])


@dataclass
class DeleteEvidence:
    """Rows and digests that a rewrite read of delete files, which never change: its proof does not read them again.

    Attributes:
        rows: of position-delete files, of the first ones that were read.
        copied: digests of deletion vectors that were copied.
    """

    rows: dict[DeleteIdentity, Positions] = field(default_factory=dict)
    copied: dict[DeleteIdentity, bytes] = field(default_factory=dict)
    _bytes: int = 0

    def add(self, file: DeleteFile, rows: Positions) -> None:
        """Add the rows of a file unless they would take too much memory with the others."""
        size = _KEPT_OVERHEAD + rows.paths.nbytes + rows.codes.nbytes + rows.positions.nbytes
        if file.identity not in self.rows and self._bytes + size <= _MOST_KEPT:
            self.rows[file.identity] = rows
            self._bytes += size


def read_positions(io: FileIO, file: DeleteFile) -> Positions:
    """Return the rows of a delete file, which is read by one request.

    Raises:
        LeftAlone: `missing`, `refused` (by the store), `unreadable`, `has_rows` (of deleted rows' columns),
            `wrong_schema`, `too_large`, `wrong_count` (other than the manifest states), `negative_position`.
        OSError: the store does not answer.
    """
    return _decoded(_fetched(io, file), file)


def each_read(
    io: FileIO, files: Sequence[DeleteFile], known: DeleteEvidence | None = None
) -> Iterator[tuple[DeleteFile, Positions | LeftAlone]]:
    """Yield delete files in their order with what `read_positions` returns or raises; several are fetched at a time.

    Those whose rows are `known` are not read.

    Raises:
        OSError: the store does not answer.
    """
    unread = [each for each in files if known is None or each.identity not in known.rows]
    at_once = max(1, min(_READ_AT_ONCE, _FETCHED_BYTES // max((each.file_bytes for each in unread), default=1)))
    bodies = overlapped(lambda file: _fetched(io, file), unread, at_once=at_once)
    for file in files:
        if known is not None and (rows := known.rows.get(file.identity)) is not None:
            yield file, rows
            continue
        try:
            yield file, _decoded(next(bodies), file)
        except LeftAlone as error:
            yield file, error


def readable(found: Positions | LeftAlone) -> Positions:
    """Return the rows that `each_read` yields, or raise the `LeftAlone` that it yields instead."""
    if isinstance(found, LeftAlone):
        raise found
    return found


def _fetched(io: FileIO, file: DeleteFile) -> bytes | LeftAlone:
    limit = max(MOST_BYTES, file.file_bytes)
    try:
        with io.new_input(file.path).open() as stream:
            body = stream.read(limit + 1)
    except FileNotFoundError as error:
        return LeftAlone("missing", summary_of(error))
    except OSError as error:
        if not is_refusal(error):
            raise
        return LeftAlone("refused", summary_of(error))
    return body if len(body) <= limit else LeftAlone("too_large")


def _decoded(body: bytes | LeftAlone, file: DeleteFile) -> Positions:
    if isinstance(body, LeftAlone):
        raise body
    try:
        with decoding_bytes():
            return _read(checked_file(body, read_dictionary=["file_path"]), body, file)
    except LeftAlone:
        raise
    except Exception as error:
        if not is_of_content(error):
            raise
        raise LeftAlone("unreadable", summary_of(error)) from error


def _read(checked: CheckedFile, body: bytes, file: DeleteFile) -> Positions:
    parquet = checked.parquet
    footer, schema = parquet.metadata, parquet.schema_arrow
    ids = [(each.metadata or {}).get(b"PARQUET:field_id", b"").decode() for each in schema]
    if "row" in schema.names or len(ids) > len(POSITIONS):
        raise LeftAlone("has_rows")
    if sorted(ids) != sorted([str(FILE_PATH_ID), str(POSITION_ID)]):
        raise LeftAlone("wrong_schema")
    if footer.num_rows > MOST_ROWS or _decoded_bytes(footer) > _MOST_DECODED:
        raise LeftAlone("too_large")
    if footer.num_rows != file.record_count:
        raise LeftAlone("wrong_count")
    check_coded(checked, body, _MOST_DECODED)
    rows = parquet.read(use_threads=False)  # most files are small: handing them over would take longer
    path, position = rows.column(ids.index(str(FILE_PATH_ID))), rows.column(ids.index(str(POSITION_ID)))
    if position.type != pa.int64() or path.null_count or position.null_count or not _is_text(path.type):
        raise LeftAlone("wrong_schema")
    numbers = np.asarray(position.to_numpy(), dtype=np.int64)
    if len(numbers) and numbers.min() < 0:
        raise LeftAlone("negative_position")
    coded = path.cast(_CODED).unify_dictionaries() if pa.types.is_dictionary(path.type) else path.dictionary_encode()
    found = _positions(coded.combine_chunks(), numbers)
    return found if len(found.paths) == 1 and len(numbers) else together([found])


def _is_text(of: pa.DataType) -> bool:
    value = of.value_type if pa.types.is_dictionary(of) else of
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _decoded_bytes(footer: pq.FileMetaData) -> int:
    return sum(footer.row_group(at).total_byte_size for at in range(footer.num_row_groups))


def _positions(coded: Any, numbers: npt.NDArray[np.int64]) -> Positions:
    found = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    codes = np.asarray(found.indices.to_numpy(), dtype=np.int64)
    return Positions(found.dictionary.cast(pa.string()), codes, numbers)


def together(parts: Sequence[Positions]) -> Positions:
    """Return the rows of several parts, with the paths of all that have rows, in the order of their UTF-8 bytes."""
    used = [each.paths.take(pa.array(np.unique(each.codes))) for each in parts]
    named = pc.unique(pa.concat_arrays([pa.array([], pa.string()), *used]))
    paths = named.cast(pa.binary()).take(pc.sort_indices(named.cast(pa.binary()))).cast(pa.string())
    codes = []
    for each in parts:
        at = pc.fill_null(pc.index_in(each.paths, value_set=paths), -1).to_numpy(zero_copy_only=False)
        codes.append(np.asarray(at, dtype=np.int64)[each.codes] if len(at) else each.codes)
    empty = np.empty(0, np.int64)
    return Positions(
        paths, np.concatenate([empty, *codes]), np.concatenate([empty, *(each.positions for each in parts)])
    )


def distinct(rows: Positions) -> Positions:
    """Return the rows sorted by path and position, each once; `rows` as returned by `together`."""
    order = np.lexsort((rows.positions, rows.codes))
    codes, positions = rows.codes[order], rows.positions[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (codes[1:] != codes[:-1]) | (positions[1:] != positions[:-1])
    return together([Positions(rows.paths, codes[is_new], positions[is_new])])


@dataclass
class LiveData:
    """The live data files of a snapshot, by which the rows of delete files are judged."""

    entries: pa.Table
    _last: tuple[int, str, pa.Table] | None = None
    """The data files of the place that was asked for last: delete files come by place."""

    def applying(self, rows: Positions, file: DeleteFile) -> _Mask:
        """Return, for each of the paths, whether a delete file with these rows applies to its live data file."""
        here = self._of_place(file.spec_id, file.partition)
        at = pc.index_in(rows.paths, value_set=here["path"].combine_chunks())
        is_here = np.asarray(pc.is_valid(at).to_numpy(zero_copy_only=False), dtype=np.bool_)
        ages = np.append(np.asarray(here["sequence_number"].to_numpy(), dtype=np.int64), 0)
        places = np.asarray(pc.fill_null(at, -1).to_numpy(zero_copy_only=False), dtype=np.int64)
        applies: _Mask = is_here & (ages[places] <= file.sequence_number)
        if file.target is not None:
            is_target = pc.equal(rows.paths, pa.scalar(file.target))
            applies &= np.asarray(is_target.to_numpy(zero_copy_only=False), dtype=np.bool_)
        return applies

    def kept(self, rows: Positions, file: DeleteFile) -> Positions:
        """Return the rows that apply to live data files.

        Raises:
            LeftAlone: `names_others`: a path has the name of a live data file to which the delete file does not apply.
        """
        applies = self.applying(rows, file)
        others = rows.paths.filter(pa.array(~applies))
        if len(others) and pc.any(pc.is_in(_file_names(others), value_set=self._names)).as_py():
            raise LeftAlone("names_others")
        return rows.only(applies[rows.codes])

    @cached_property
    def _names(self) -> pa.Array:
        return _file_names(self.entries["path"].combine_chunks())

    def _of_place(self, spec_id: int, partition: str) -> pa.Table:
        if self._last is None or self._last[:2] != (spec_id, partition):
            self._last = spec_id, partition, self._taken(spec_id, partition)
        return self._last[2]

    def _taken(self, spec_id: int, partition: str) -> pa.Table:
        code = self._partitions.get(partition, -1)
        first, last = (np.searchsorted(self._order[0], (spec_id << 32) | code, side) for side in ("left", "right"))
        return self.entries.take(pa.array(self._order[1][first:last])) if code >= 0 else self.entries.slice(0, 0)

    @cached_property
    def _coded(self) -> pa.DictionaryArray:
        column = self.entries["partition"].unify_dictionaries()
        return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)

    @cached_property
    def _partitions(self) -> Mapping[str, int]:
        return {text: code for code, text in enumerate(self._coded.dictionary.to_pylist())}

    @cached_property
    def _order(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The sorted keys of the entries' specs and partitions, and the entries in this order."""
        specs = np.asarray(self.entries["spec_id"].to_numpy(), dtype=np.int64)
        keys = (specs << 32) | np.asarray(self._coded.indices.to_numpy(), dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        return keys[order], order


def _file_names(paths: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(paths, pattern="^.*/", replacement="")
