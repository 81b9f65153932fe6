"""Match delete files to the data files they apply to, by the specification's rules, over columns.

Position deletes apply to data files of the same spec and partition (or to the one file they reference) whose data
sequence number is not newer; equality deletes to strictly older ones of the same spec and partition, or to all when
their spec is unpartitioned. A position-delete file of an unpartitioned spec is not global: Iceberg's readers do not
treat it so. A deletion vector applies to the data file that it references, and position-delete files then do not: a
data file has at most one, which contains their rows. Its count of rows is exact.

Counts exclude deletes that can't have an effect (a partition-wide position delete older than the file), so that the
outputs of a rewrite are not candidates again. `PositionDeleteIndex`, which tasks use, applies the specification
strictly; so does `apply_to_nothing`, except for files with names never used before: other clients may add a removed
file again.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.files import DeleteRef
from engine.formats.iceberg.manifests.decoding import (
    EQUALITY_DELETES,
    POSITION_DELETES,
    are_vectors,
    identity_keys,
)
from engine.formats.intake.limits import Malformed

UNPARTITIONED: Final = "{}"
_NEVER: Final = np.iinfo(np.int64).max
_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DeleteCounts:
    """Per data file: number of position-delete files, upper bound of the rows they delete, equality-delete files.

    `vectors`: 1 with a deletion vector, which is the only one of `files` then, and `rows` is exact; otherwise 0.
    """

    files: _Ints
    rows: _Ints
    equality: _Ints
    vectors: _Ints


def count_deletes(data: pa.Table, deletes: pa.Table, *, to_the_letter: bool = False) -> DeleteCounts:
    """Return the counts of `deletes` (live delete entries) that may apply to each row of `data` (live data entries)."""
    zeros = DeleteCounts(*(np.zeros(data.num_rows, np.int64) for _ in range(4)))
    if not deletes.num_rows or not data.num_rows:
        return zeros
    is_vector = are_vectors(deletes)
    position = deletes.filter(pc.and_not(pc.equal(deletes["content"], POSITION_DELETES), is_vector))
    aimed = position.filter(pc.is_valid(position["target"]))
    _count_aimed(data, aimed, zeros)
    wide = position.filter(pc.is_null(position["target"]))
    is_moved = pc.fill_null(pc.not_equal(wide["file_sequence_number"], wide["sequence_number"]), True)
    for some, oldest in (
        (wide.filter(pc.invert(is_moved)), _ints(data, "sequence_number") if to_the_letter else _arrival(data)),
        (wide.filter(is_moved), _ints(data, "sequence_number")),
    ):
        _count_by_partition(data, some, zeros.files, zeros.rows, oldest=oldest, side="left")
    _count_vectors(data, deletes.filter(is_vector), zeros)
    equality = deletes.filter(pc.equal(deletes["content"], EQUALITY_DELETES))
    is_global = pc.equal(pc.cast(equality["partition"], pa.string()), UNPARTITIONED)
    partial, ages = equality.filter(pc.invert(is_global)), _ints(data, "sequence_number")
    _count_by_partition(data, partial, zeros.equality, None, oldest=ages, side="right")
    sequences = np.sort(_ints(equality.filter(is_global), "sequence_number"))
    zeros.equality[:] += len(sequences) - np.searchsorted(sequences, ages, side="right")
    np.minimum(zeros.rows, _ints(data, "record_count"), out=zeros.rows)
    return zeros


@dataclass(frozen=True, slots=True)
class DeletesMoved:
    """Delete entries that a snapshot added (`came`) and removed (`gone`), compared with its parent."""

    came: pa.Table
    gone: pa.Table

    @staticmethod
    def between(before: pa.Table, after: pa.Table) -> "DeletesMoved":
        """Compare live delete entries by their identity."""
        return DeletesMoved(came=_without(after, before), gone=_without(before, after))

    def still_needed(self, data: pa.Table, *, to_the_letter: bool = False) -> int:
        """Return the number of data files with rows that may reappear without the removed deletes (`count_deletes`)."""
        counts = count_deletes(data, self.gone, to_the_letter=to_the_letter)
        return int(np.count_nonzero(counts.files | counts.equality))


def _without(some: pa.Table, others: pa.Table) -> pa.Table:
    return some.filter(pc.invert(pc.is_in(identity_keys(some), value_set=identity_keys(others))))


def vector_faults(data: pa.Table, deletes: pa.Table) -> Sequence[str]:
    """Return a clause for each kind of wrong deletion vectors among live entries: readers fail on them.

    Those of data files that are not live are not wrong: no reader looks at them.
    """
    vectors = deletes.filter(are_vectors(deletes))
    if not vectors.num_rows:
        return []
    at = pc.index_in(vectors["target"], value_set=data["path"])
    is_live = pc.is_valid(at)
    offset, size = (pc.fill_null(vectors[name], -1) for name in ("content_offset", "content_bytes"))
    is_placed = pc.and_(pc.greater_equal(offset, 0), pc.greater_equal(size, 0))
    is_within = pc.less_equal(offset, pc.subtract(vectors["file_bytes"], size))
    counts = pc.value_counts(vectors["target"])
    twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    targets = data.take(pc.fill_null(at, 0)) if data.num_rows else vectors
    keys = _partition_keys(targets, vectors)
    kinds: Mapping[str, Any] = {
        "reference no data file": pc.is_null(vectors["target"]),
        "have no place within their Puffin file": pc.invert(pc.and_(is_placed, is_within)),
        "are not the only one of their data file": pc.and_(is_live, pc.is_in(vectors["target"], value_set=twice)),
        "have a lower sequence number than their data file": pc.and_(
            is_live, pc.less(vectors["sequence_number"], targets["sequence_number"])
        ),
        "have another spec or partition than their data file": pc.and_(is_live, pa.array(keys[0] != keys[1])),
        "delete more rows than their data file has": pc.and_(
            is_live, pc.greater(vectors["record_count"], targets["record_count"])
        ),
    }
    found = ((kind, vectors.filter(holds)) for kind, holds in kinds.items())
    return [f"{some.num_rows} {kind}, the first is in {some['path'][0]}" for kind, some in found if some.num_rows]


def apply_to_nothing(data: pa.Table, deletes: pa.Table, *, new: pa.Table) -> npt.NDArray[np.bool_]:
    """Return, for each position-delete file, whether it applies to none of the data files.

    Args:
        data: all live data files of the partitions of `deletes`, and all live files that one of them references.
        deletes: live position-delete files.
        new: live data files whose names were never used before; not in `data`.

    Applies the specification strictly, except for `new`: a delete file older than such a file can't reference it. A
    delete file that references a missing file counts as applying if a data file has the same name in another spelling.
    """
    numbers = _ints(deletes, "sequence_number")
    came = np.asarray(pc.fill_null(deletes["file_sequence_number"], _NEVER).to_numpy(), dtype=np.int64)
    reaches_new = (numbers >= _oldest(new, deletes, _ints(new, "sequence_number"))) & (
        came >= _oldest(new, deletes, _arrival(new))
    )
    applies = (numbers >= _oldest(data, deletes, _ints(data, "sequence_number"))) | reaches_new
    is_aimed = np.asarray(pc.is_valid(deletes["target"]).to_numpy(), dtype=np.bool_)
    applies[is_aimed] = _reach_targets(pa.concat_tables([data, new]), deletes.filter(pa.array(is_aimed)))
    return ~applies


def _oldest(data: pa.Table, deletes: pa.Table, ages: _Ints) -> _Ints:
    """Return, for each delete file, the least age of its partition's data files; `_NEVER` where there are none."""
    keys, asked = _partition_keys(data, deletes)
    known, places = np.unique(keys, return_inverse=True)
    least = np.full(len(known) + 1, _NEVER)
    np.minimum.at(least, places, ages)
    at = np.searchsorted(known, asked)
    return np.where(np.append(known, -1)[at] == asked, least[at], _NEVER)


def _reach_targets(data: pa.Table, aimed: pa.Table) -> npt.NDArray[np.bool_]:
    at = pc.index_in(aimed["target"], value_set=data["path"])
    is_there = np.asarray(pc.is_valid(at).to_numpy(), dtype=np.bool_)
    rows = np.asarray(pc.fill_null(at, 0).to_numpy(), dtype=np.int64)
    ages = np.append(_ints(data, "sequence_number"), 0)
    is_alike = pc.is_in(_file_names(aimed["target"]), value_set=_file_names(data["path"])).to_numpy()
    return np.where(is_there, _ints(aimed, "sequence_number") >= ages[rows], is_alike)


def _file_names(paths: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.replace_substring_regex(paths, pattern="^.*/", replacement="")


def _count_aimed(data: pa.Table, aimed: pa.Table, counts: DeleteCounts) -> None:
    at = pc.index_in(aimed["target"], value_set=data["path"])
    found = aimed.filter(pc.is_valid(at))
    rows = at.drop_null().to_numpy().astype(np.int64)
    applies = _ints(found, "sequence_number") >= _ints(data, "sequence_number")[rows]
    np.add.at(counts.files, rows[applies], 1)
    np.add.at(counts.rows, rows[applies], _ints(found, "record_count")[applies])


def _count_vectors(data: pa.Table, vectors: pa.Table, counts: DeleteCounts) -> None:
    """Replace the counts of data files that have a deletion vector."""
    at = pc.index_in(vectors["target"], value_set=data["path"])
    found = vectors.filter(pc.is_valid(at))
    rows = at.drop_null().to_numpy().astype(np.int64)
    applies = _ints(found, "sequence_number") >= _ints(data, "sequence_number")[rows]
    counts.vectors[rows[applies]] = counts.files[rows[applies]] = 1
    counts.rows[rows[applies]] = _ints(found, "record_count")[applies]


def _arrival(data: pa.Table) -> _Ints:
    """Return when each data file was added; a rewrite's output keeps an old data sequence number.

    A delete file written earlier can't reference the file's rows, although readers have to check.
    """
    return np.asarray(pc.coalesce(data["file_sequence_number"], data["sequence_number"]).to_numpy(), dtype=np.int64)


def _count_by_partition(
    data: pa.Table, deletes: pa.Table, files: _Ints, rows: _Ints | None, *, oldest: _Ints, side: Any
) -> None:
    if not deletes.num_rows:
        return
    keys_of_data, keys_of_deletes = _partition_keys(data, deletes)
    order = np.argsort(keys_of_data, kind="stable")
    sorted_keys = keys_of_data[order]
    sequences, records = _ints(deletes, "sequence_number"), _ints(deletes, "record_count")
    for key in np.unique(keys_of_deletes):
        touched = order[np.searchsorted(sorted_keys, key, "left") : np.searchsorted(sorted_keys, key, "right")]
        mine = np.flatnonzero(keys_of_deletes == key)
        mine = mine[np.argsort(sequences[mine], kind="stable")]
        first = np.searchsorted(sequences[mine], oldest[touched], side=side)
        files[touched] += len(mine) - first
        if rows is not None:
            following = np.append(np.cumsum(records[mine][::-1])[::-1], 0)
            rows[touched] += following[first]


def _partition_keys(data: pa.Table, deletes: pa.Table) -> tuple[_Ints, _Ints]:
    both = pa.chunked_array([*data["partition"].chunks, *deletes["partition"].chunks]).unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy().astype(np.int64) for chunk in both.chunks])
    specs = np.concatenate([_ints(data, "spec_id"), _ints(deletes, "spec_id")])
    keys = (specs << 32) | codes
    return keys[: data.num_rows], keys[data.num_rows :]


def _ints(table: pa.Table, name: str) -> _Ints:
    return np.asarray(table[name].to_numpy(), dtype=np.int64)


class PositionDeleteIndex:
    """Index of live position deletes by target, for looking up the inputs of groups, not of whole tables."""

    def __init__(self, *, deletes: pa.Table) -> None:
        self._vectors: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._aimed: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._wide: dict[tuple[int, str], list[Mapping[str, Any]]] = defaultdict(list)
        is_vector = are_vectors(deletes)
        columns = ["path", "target", "spec_id", "partition", "sequence_number", "file_bytes"]
        others = deletes.filter(pc.and_not(pc.equal(deletes["content"], POSITION_DELETES), is_vector))
        for each in others.select(columns).to_pylist():
            if each["target"] is not None:
                self._aimed[each["target"]].append(each)
            else:
                self._wide[(each["spec_id"], each["partition"])].append(each)
        places = ["content_offset", "content_bytes", "record_count"]
        for each in deletes.filter(is_vector).select([*columns, *places]).to_pylist():
            self._vectors[each["target"]].append(each)

    def of(self, *, path: str, spec_id: int, partition: str, sequence_number: int) -> tuple[DeleteRef, ...]:
        """Return the delete files that apply to one data file, ordered by path; or only its deletion vector.

        Raises:
            Malformed: it has several deletion vectors, or one that is older than itself (`vector_faults`).
        """
        if path in self._vectors:
            return (_only_vector(path, self._vectors[path], sequence_number),)
        candidates: Sequence[Mapping[str, Any]] = [
            *self._aimed.get(path, ()),
            *self._wide.get((spec_id, partition), ()),
        ]
        applying = {
            each["path"]: each["file_bytes"] for each in candidates if each["sequence_number"] >= sequence_number
        }
        return tuple(DeleteRef(path=each, file_bytes=applying[each]) for each in sorted(applying))


def _only_vector(path: str, vectors: Sequence[Mapping[str, Any]], sequence_number: int) -> DeleteRef:
    if len(vectors) > 1 or vectors[0]["sequence_number"] < sequence_number:
        raise Malformed(f"the data file {path} has {len(vectors)} deletion vectors, or one that is older than itself")
    (one,) = vectors
    places = (one["path"], one["file_bytes"], one["content_offset"], one["content_bytes"])
    return DeleteRef(*places, rows=one["record_count"])
