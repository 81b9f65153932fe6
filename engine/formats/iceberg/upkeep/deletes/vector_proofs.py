"""Prove a rewrite of deletes in a table of format version 3: every data file has the same deleted rows as before.

What is deleted in a data file are the rows of its vector, otherwise those of all position-delete files that apply. Only
data files to which other deletes apply than before are compared, from files that are read again, a partition at a time.
A vector that the rewrite copied has a checksum, and was decoded before it was copied: its copy is compared with the
digest of its bytes, as equal bytes delete equal rows.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.io import FileIO

from engine.domain.runs.files import DeleteRef
from engine.domain.runs.hot_partitions import Place
from engine.domain.values.partitions import partition_text
from engine.formats.base import Condition
from engine.formats.iceberg.manifests.decoding import POSITION_DELETES, DeleteIdentity, are_vectors
from engine.formats.iceberg.metadata.deletes import DeletesMoved, PositionDeleteIndex, vector_faults
from engine.formats.iceberg.upkeep.deletes.plans import DeleteFile, delete_files_of
from engine.formats.iceberg.upkeep.deletes.positions import LeftAlone, read_positions
from engine.formats.iceberg.upkeep.deletes.vector_files import by_path, decoded, vector_bodies
from engine.formats.iceberg.upkeep.manifests.evidence import digest
from engine.formats.intake.limits import Malformed

_MOST_NAMED = 5
_MOST_HELD: Final = 32 * 2**20
"""Stored size of the vectors that are read before they are compared."""
_COLUMNS = ["path", "spec_id", "partition", "sequence_number", "record_count"]
_Ints = npt.NDArray[np.int64]
_Refs = tuple[DeleteRef, ...]
_Changed = tuple[str, int, _Refs, _Refs]
"""A data file to which other deletes apply than before: its path, its rows, and the deletes of both."""


def vectors_valid(data: pa.Table, deletes: pa.Table) -> Condition:
    """Check that readers accept every deletion vector of a snapshot."""
    count = pc.sum(are_vectors(deletes)).as_py() or 0
    faults = vector_faults(data, deletes)
    return Condition("deletion_vectors_valid", not faults, "; ".join([f"{count} deletion vectors", *faults]))


def same_effect(
    io: FileIO, data: pa.Table, *, had: pa.Table, has: pa.Table, copied: Mapping[DeleteIdentity, bytes]
) -> tuple[Condition, int]:
    """Compare the deleted rows of the data files; return the check, and the number of rows of those compared.

    `copied`: digests of vectors of `had` that were read and decoded.
    """
    moved = DeletesMoved.between(had, has)
    copies = _copies(io, had, moved, copied)
    positions = sum(copies.values())
    wrong: list[str] = []
    touched = _touched(data, moved)
    touched = touched.filter(pc.invert(pc.is_in(touched["path"], value_set=pa.array(copies, pa.string()))))
    changed = _changed(touched, had, has) if touched.num_rows else {}
    files = {each.identity: each for each in (*_position_files(had), *_position_files(has))} if changed else {}
    for (_, partition), some in sorted(changed.items()):
        reader = _DeletedRows(io, files)
        for path, rows, before, after in reader.loaded(some):
            old, new = reader.deleted(path, rows, before), reader.deleted(path, rows, after)
            positions += len(new)
            if not np.array_equal(old, new):
                wrong.append(f"{path} of {partition_text(partition)}: {len(old)} before, {len(new)} after")
    count = len(changed.keys() | _places(data, copies))
    detail = f"{positions} deleted positions of live data files in {count} partitions"
    if wrong:
        detail += f", other ones in {len(wrong)} data files: {wrong[:_MOST_NAMED]}"
    return Condition("same_deleted_positions", not wrong, detail), positions


def _copies(
    io: FileIO, had: pa.Table, moved: DeletesMoved, copied: Mapping[DeleteIdentity, bytes]
) -> Mapping[str, int]:
    """Return the deleted rows of the data files whose only vector was copied: by path, of live data files or others."""
    if not copied:
        return {}
    counts = pc.value_counts(had.filter(are_vectors(had))["target"])
    once = counts.field("values").filter(pc.equal(counts.field("counts"), 1))
    gone, came = (
        some.filter(pc.and_(are_vectors(some), pc.is_in(some["target"], value_set=once)))
        for some in (moved.gone, moved.came)
    )
    old = {each.target: each for each in delete_files_of(gone) if each.identity in copied}
    new = [each for each in delete_files_of(came) if each.target in old and _is_alike(old[each.target], each)]
    return {
        each.target or "": each.record_count
        for each, body in vector_bodies(io, new)
        if not isinstance(body, LeftAlone) and digest(body) == copied[old[each.target].identity]
    }


def _is_alike(one: DeleteFile, other: DeleteFile) -> bool:
    """Return whether manifests state the same of two vectors, apart from their places."""
    return (one.record_count, one.sequence_number, one.spec_id, one.partition, one.length) == (
        *(other.record_count, other.sequence_number, other.spec_id, other.partition, other.length),
    )


def _places(data: pa.Table, paths: Mapping[str, int]) -> set[Place]:
    found = data.filter(pc.is_in(data["path"], value_set=pa.array(paths, pa.string())))
    return set(zip(found["spec_id"].to_pylist(), found["partition"].to_pylist(), strict=True))


def _touched(data: pa.Table, moved: DeletesMoved) -> pa.Table:
    """Return the data files to which removed or added deletes may apply; others of equal partition texts too."""
    deletes = pa.concat_tables([moved.gone, moved.came])
    texts = deletes["partition"].cast(pa.string()).unique()
    is_near = pc.is_in(data["partition"].cast(pa.string()), value_set=texts)
    return data.filter(pc.or_(is_near, pc.is_in(data["path"], value_set=deletes["target"].drop_null().unique())))


def _changed(data: pa.Table, had: pa.Table, has: pa.Table) -> Mapping[Place, list[_Changed]]:
    """Return the data files to which other deletes apply than before."""
    before, after = PositionDeleteIndex(deletes=had), PositionDeleteIndex(deletes=has)
    found: dict[Place, list[_Changed]] = defaultdict(list)
    columns = [data[name].cast(pa.string()) if name == "partition" else data[name] for name in _COLUMNS]
    for path, spec_id, partition, number, rows in zip(*(each.to_pylist() for each in columns), strict=True):
        key = {"path": path, "spec_id": spec_id, "partition": partition, "sequence_number": number}
        old, new = before.of(**key), after.of(**key)
        if old != new:
            found[spec_id, partition].append((path, rows, old, new))
    return found


def _position_files(entries: pa.Table) -> Sequence[DeleteFile]:
    return delete_files_of(entries.filter(pc.equal(entries["content"], POSITION_DELETES)))


class _DeletedRows:
    """Reads deletes; keeps the rows of position-delete files, which may apply to many data files."""

    def __init__(self, io: FileIO, files: Mapping[DeleteIdentity, DeleteFile]) -> None:
        self._io = io
        self._files = files
        self._rows: dict[str, Mapping[str, _Ints]] = {}
        self._bodies: Mapping[DeleteIdentity, bytes | LeftAlone] = {}

    def loaded(self, changed: Sequence[_Changed]) -> Iterator[_Changed]:
        """Yield data files whose vectors are held until the next one is taken: many are read together."""
        part, size = list[_Changed](), 0
        for each in changed:
            part.append(each)
            size += sum(file.stored_bytes for file in self._vectors([each]))
            if size > _MOST_HELD:
                yield from self._with_vectors(part)
                part, size = [], 0
        yield from self._with_vectors(part)

    def deleted(self, path: str, rows: int, refs: _Refs) -> _Ints:
        """Return the deleted positions of a data file, given its rows. Raises Malformed if a file can't be read."""
        parts = [np.empty(0, np.int64)]
        for ref in refs:
            file = self._files[ref.path, ref.offset, ref.length]
            try:
                parts.append(self._positions(file, path, rows))
            except LeftAlone as error:
                raise Malformed(f"the deletes in {file.path} can't be compared: {error}") from error
        found = np.unique(np.concatenate(parts))
        return found[found < rows]

    def _with_vectors(self, changed: Sequence[_Changed]) -> Sequence[_Changed]:
        bodies = vector_bodies(self._io, list(self._vectors(changed)))
        self._bodies = {file.identity: body for file, body in bodies}
        return changed

    def _vectors(self, changed: Sequence[_Changed]) -> Iterator[DeleteFile]:
        for _, _, before, after in changed:
            for ref in (*before, *after):
                if ref.offset is not None:
                    yield self._files[ref.path, ref.offset, ref.length]

    def _positions(self, file: DeleteFile, path: str, rows: int) -> _Ints:
        if file.offset is not None:
            return decoded(file, self._bodies[file.identity], rows)
        if file.path not in self._rows:
            self._rows[file.path] = by_path(read_positions(self._io, file))
        return self._rows[file.path].get(path, np.empty(0, np.int64))
