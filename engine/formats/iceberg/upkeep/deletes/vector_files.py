"""Make the deletion vectors of a rewrite: from position-delete files, or copied byte for byte out of Puffin files.

Readers ignore position-delete files of a data file that has a vector. So a data file gets one only if all that apply
to it were read, and a position-delete file goes only if every data file of its rows has a vector or is gone.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io import FileIO

from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.left_out import LeftOutItem
from engine.formats.iceberg.errors import summary_of
from engine.formats.iceberg.manifests.decoding import DeleteIdentity
from engine.formats.iceberg.metadata.deletes import PositionDeleteIndex
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.deletes.plans import MOST_BYTES, DeleteFile, live_data, live_deletes
from engine.formats.iceberg.upkeep.deletes.positions import LeftAlone, LiveData, Positions, each_read, readable
from engine.formats.iceberg.upkeep.deletes.puffin_files import VectorBlob, encoded
from engine.formats.iceberg.upkeep.deletes.vector_plans import select_vectors
from engine.formats.iceberg.upkeep.manifests.evidence import digest
from engine.formats.intake.errors import is_refusal
from engine.formats.intake.overlapping import overlapped
from engine.rewriting.kernel.reading.deletion_vectors import DamagedVector, positions_in

_READ_AT_ONCE: Final = 16
_TOGETHER_BYTES: Final = 8 * 2**20
"""Size up to which the vectors of one file are read with one request, and small files by one thread."""
_TOGETHER_FILES: Final = 16
_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NewVector:
    """A vector to write, with the spec, partition and data sequence number of its entry."""

    blob: VectorBlob
    place: Place
    sequence_number: int


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """The deletes that go, the vectors in their place, and deletes that stay for their content.

    `copied`: digests of the vectors that were copied, which were checked before.
    """

    old: tuple[DeleteFile, ...]
    new: tuple[NewVector, ...]
    left_out: tuple[LeftOutItem, ...]
    copied: Mapping[DeleteIdentity, bytes] = field(default_factory=dict)

    def by_place(self) -> Iterator[tuple[Place, list[NewVector]]]:
        """Yield the vectors of one Puffin file each, by spec and partition."""
        for place, some in groupby(sorted(self.new, key=lambda each: (each.place, each.blob.target)), _place_of):
            part, size = list[NewVector](), 0
            for each in some:
                if part and size + len(each.blob.body) > MOST_BYTES:
                    yield place, part
                    part, size = [], 0
                part.append(each)
                size += len(each.blob.body)
            yield place, part


def _place_of(vector: NewVector) -> Place:
    return vector.place


class DataFiles:
    """The live data files of a snapshot, with the deletes that apply to each."""

    def __init__(self, data: pa.Table, deletes: pa.Table) -> None:
        self.live = LiveData(data)
        self._deletes = PositionDeleteIndex(deletes=deletes)
        self._rows: Mapping[str, tuple[int, str, int, int]] = {}
        self._data = data

    def load(self, paths: Sequence[str]) -> None:
        """Look up data files by path; the others are forgotten."""
        found = self._data.filter(pc.is_in(self._data["path"], value_set=pa.array(paths, pa.string())))
        columns = ("path", "spec_id", "partition", "sequence_number", "record_count")
        lists = [found[name].cast(pa.string()) if name == "partition" else found[name] for name in columns]
        self._rows = {path: rest for path, *rest in zip(*(each.to_pylist() for each in lists), strict=True)}  # type: ignore[misc]

    def rows(self, path: str) -> int:
        """Return the number of rows of a data file that was looked up."""
        return self._rows[path][3]

    def deletes_of(self, path: str) -> tuple[AbstractSet[str], bool]:
        """Return the paths of the deletes that apply to a data file that was looked up; true: of its vector."""
        spec_id, partition, number, _ = self._rows[path]
        refs = self._deletes.of(path=path, spec_id=spec_id, partition=partition, sequence_number=number)
        return {each.path for each in refs}, any(each.offset is not None for each in refs)


def made_vectors(view: TableView) -> MadeVectors:
    """Return what a rewrite of the deletes of this head replaces. Raises `NotEligible` as `select_vectors`, OSError."""
    selected, manifests = select_vectors(view), view.manifests(view.head)
    data = DataFiles(live_data(view, manifests), live_deletes(view, manifests))
    parts = [converted(view.table.io, unit, data) for unit in selected.conversions]
    parts.append(moved(view.table.io, selected.moves, data))
    return MadeVectors(
        (*selected.dropped, *(each for part in parts for each in part.old)),
        tuple(each for part in parts for each in part.new),
        tuple(each for part in parts for each in part.left_out),
        parts[-1].copied,
    )


def converted(io: FileIO, unit: Sequence[DeleteFile], data: DataFiles) -> MadeVectors:
    """Return the vectors of a unit of position-delete files (`VectorSelection.conversions`)."""
    taken, left_out = dict[str, tuple[DeleteFile, Mapping[str, _Ints]]](), list[LeftOutItem]()
    for file, found in each_read(io, unit):
        try:
            taken[file.path] = file, by_path(data.live.kept(readable(found), file))
        except LeftAlone as error:
            left_out.append(LeftOutItem(file.path, error.reason, error.detail, error.is_error))
    data.load(sorted({path for _, rows in taken.values() for path in rows}))
    while blocked := [
        path for path, (_, rows) in taken.items() if any(_is_blocked(each, taken, data) for each in rows)
    ]:
        left_out += [LeftOutItem(path, "shares_data_files", is_error=False) for path in blocked]
        for path in blocked:
            del taken[path]
    return MadeVectors(
        tuple(file for file, _ in taken.values()), tuple(_vectors(list(taken.values()), data)), tuple(left_out)
    )


def _is_blocked(target: str, taken: Mapping[str, object], data: DataFiles) -> bool:
    """Return whether deletes that stay apply to a data file, which therefore gets no vector."""
    paths, is_vector = data.deletes_of(target)
    return not is_vector and not paths <= taken.keys()


def _vectors(taken: Sequence[tuple[DeleteFile, Mapping[str, _Ints]]], data: DataFiles) -> Iterator[NewVector]:
    parts: dict[str, list[tuple[DeleteFile, _Ints]]] = defaultdict(list)
    for file, rows in taken:
        for target, positions in rows.items():
            parts[target].append((file, positions))
    for target, some in sorted(parts.items()):
        positions = np.unique(np.concatenate([each for _, each in some]))
        positions = positions[positions < data.rows(target)]
        if len(positions) and not data.deletes_of(target)[1]:
            blob = VectorBlob(encoded(positions), target, len(positions))
            file = some[0][0]
            yield NewVector(blob, (file.spec_id, file.partition), max(each.sequence_number for each, _ in some))


def by_path(rows: Positions) -> Mapping[str, _Ints]:
    """Return the positions of each path that has any."""
    order = np.argsort(rows.codes, kind="stable")
    codes, starts = np.unique(rows.codes[order], return_index=True)
    parts = np.split(rows.positions[order], starts[1:]) if len(codes) else []
    names = rows.paths.take(pa.array(codes)).to_pylist()
    return dict(zip(names, parts, strict=True))


def moved(io: FileIO, vectors: Sequence[DeleteFile], data: DataFiles) -> MadeVectors:
    """Return copies of vectors, each checked before; the vectors of one file are read together where they are near."""
    data.load([each.target or "" for each in vectors])
    old, new, left_out = list[DeleteFile](), list[NewVector](), list[LeftOutItem]()
    copied = dict[DeleteIdentity, bytes]()
    for each, found in vector_bodies(io, vectors):
        try:
            decoded(each, found, data.rows(each.target or ""))
        except LeftAlone as error:
            left_out.append(LeftOutItem(each.path, error.reason, error.detail, error.is_error))
            continue
        body = bytes(found) if not isinstance(found, LeftAlone) else b""
        old.append(each)
        blob = VectorBlob(body, each.target or "", each.record_count)
        new.append(NewVector(blob, (each.spec_id, each.partition), each.sequence_number))
        copied[each.identity] = digest(body)
    return MadeVectors(tuple(old), tuple(new), tuple(left_out), copied)


def decoded(vector: DeleteFile, body: bytes | LeftAlone, file_rows: int) -> _Ints:
    """Return the positions of a vector. Raises `LeftAlone` as `vector_bodies` yields it, or `unreadable`."""
    if isinstance(body, LeftAlone):
        raise body
    try:
        return positions_in(body, rows=vector.record_count, file_rows=file_rows)
    except DamagedVector as error:
        raise LeftAlone("unreadable", str(error)) from error


def vector_bodies(io: FileIO, vectors: Sequence[DeleteFile]) -> Iterator[tuple[DeleteFile, bytes | LeftAlone]]:
    """Yield vectors, by file and place, with their bytes or why they can't be read; one request for those of a file.

    Raises:
        OSError: the store does not answer.
    """

    def read(spans: Sequence[Sequence[DeleteFile]]) -> list[bytes | LeftAlone]:
        return [_fetched(io, span) for span in spans]

    bundles = _bundles(_spans(vectors))
    for spans, bodies in overlapped(lambda bundle: (bundle, read(bundle)), bundles, at_once=_READ_AT_ONCE):
        for span, body in zip(spans, bodies, strict=True):
            start = span[0].offset or 0
            for each in span:
                at = (each.offset or 0) - start
                yield each, body if isinstance(body, LeftAlone) else body[at : at + each.stored_bytes]


def _bundles(spans: Iterator[list[DeleteFile]]) -> Iterator[list[list[DeleteFile]]]:
    """Yield spans to read by one thread: several of small files, whose hand-over takes longer than their bytes."""
    bundle, size = list[list[DeleteFile]](), 0
    for span in spans:
        length = _end(span) - (span[0].offset or 0)
        if bundle and (len(bundle) == _TOGETHER_FILES or size + length > _TOGETHER_BYTES):
            yield bundle
            bundle, size = [], 0
        bundle.append(span)
        size += length
    if bundle:
        yield bundle


def _spans(vectors: Sequence[DeleteFile]) -> Iterator[list[DeleteFile]]:
    """Yield the vectors to read with one request."""
    span: list[DeleteFile] = []
    for each in sorted(vectors, key=lambda one: (one.path, one.offset or 0)):
        end = (each.offset or 0) + each.stored_bytes
        if span and (each.path != span[0].path or end - (span[0].offset or 0) > _TOGETHER_BYTES):
            yield span
            span = []
        span.append(each)
    if span:
        yield span


def _end(span: Sequence[DeleteFile]) -> int:
    return max((each.offset or 0) + each.stored_bytes for each in span)


def _fetched(io: FileIO, span: Sequence[DeleteFile]) -> bytes | LeftAlone:
    """Return the bytes of vectors of one file, or why they can't be read. Raises OSError without an answer."""
    start = span[0].offset or 0
    try:
        with io.new_input(span[0].path).open() as stream:
            stream.seek(start)
            return stream.read(_end(span) - start)
    except FileNotFoundError as error:
        return LeftAlone("missing", summary_of(error))
    except OSError as error:
        if not is_refusal(error):
            raise
        return LeftAlone("refused", summary_of(error))
