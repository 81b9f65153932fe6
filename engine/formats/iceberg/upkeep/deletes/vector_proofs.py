"""Prove a rewrite of deletes in a table of format version 3: every data file has the same deleted rows as before.

What is deleted in a data file are the rows of its vector, otherwise those of all position-delete files that apply. Only
data files to which other deletes apply than before are compared, from files that are read again, a partition at a time.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

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
from engine.formats.iceberg.upkeep.deletes.vector_files import by_path, vector_positions
from engine.formats.intake.limits import Malformed

_MOST_NAMED = 5
_COLUMNS = ["path", "spec_id", "partition", "sequence_number", "record_count"]
_Ints = npt.NDArray[np.int64]
_Refs = tuple[DeleteRef, ...]


def vectors_valid(data: pa.Table, deletes: pa.Table) -> Condition:
    """Check that readers accept every deletion vector of a snapshot."""
    count = pc.sum(are_vectors(deletes)).as_py() or 0
    faults = vector_faults(data, deletes)
    return Condition("deletion_vectors_valid", not faults, "; ".join([f"{count} deletion vectors", *faults]))


def same_effect(io: FileIO, data: pa.Table, *, had: pa.Table, has: pa.Table) -> tuple[Condition, int]:
    """Compare the deleted rows of the data files; return the check, and the number of rows of those compared."""
    positions = 0
    wrong: list[str] = []
    touched = _touched(data, DeletesMoved.between(had, has))
    changed = _changed(touched, PositionDeleteIndex(deletes=had), PositionDeleteIndex(deletes=has))
    files = {each.identity: each for each in (*_position_files(had), *_position_files(has))}
    for (_, partition), some in sorted(changed.items()):
        reader = _DeletedRows(io, files)
        for path, rows, before, after in some:
            old, new = reader.deleted(path, rows, before), reader.deleted(path, rows, after)
            positions += len(new)
            if not np.array_equal(old, new):
                wrong.append(f"{path} of {partition_text(partition)}: {len(old)} before, {len(new)} after")
    detail = f"{positions} deleted positions of live data files in {len(changed)} partitions"
    if wrong:
        detail += f", other ones in {len(wrong)} data files: {wrong[:_MOST_NAMED]}"
    return Condition("same_deleted_positions", not wrong, detail), positions


def _touched(data: pa.Table, moved: DeletesMoved) -> pa.Table:
    """Return the data files to which removed or added deletes may apply; others of equal partition texts too."""
    deletes = pa.concat_tables([moved.gone, moved.came])
    texts = deletes["partition"].cast(pa.string()).unique()
    is_near = pc.is_in(data["partition"].cast(pa.string()), value_set=texts)
    return data.filter(pc.or_(is_near, pc.is_in(data["path"], value_set=deletes["target"].drop_null().unique())))


def _changed(
    data: pa.Table, before: PositionDeleteIndex, after: PositionDeleteIndex
) -> Mapping[Place, list[tuple[str, int, _Refs, _Refs]]]:
    """Return the data files to which other deletes apply than before: path, rows, and the deletes of both."""
    found: dict[Place, list[tuple[str, int, _Refs, _Refs]]] = defaultdict(list)
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

    def _positions(self, file: DeleteFile, path: str, rows: int) -> _Ints:
        if file.offset is not None:
            return vector_positions(self._io, file, file_rows=rows)
        if file.path not in self._rows:
            self._rows[file.path] = by_path(read_positions(self._io, file))
        return self._rows[file.path].get(path, np.empty(0, np.int64))
