"""Which delete files apply to which data files, as the specification has it, over columns.

Position deletes apply to data files of the same spec and partition (or to the one file they name) whose data sequence
number is not newer; equality deletes to strictly older ones of the same spec and partition, or to all when their spec
is unpartitioned. A position-delete file of an unpartitioned spec is not global: Iceberg's readers do not apply it so.

Counts leave out what can't have an effect (a partition-wide position delete from before the file came), so that the
outputs of a rewrite are not candidates again; `PositionDeletes`, which tasks work by, goes by the letter.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.files import DeleteRef
from engine.formats.iceberg.manifests import EQUALITY_DELETES, POSITION_DELETES

UNPARTITIONED: Final = "{}"
_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DeleteCounts:
    """Per data file: position-delete files, an upper bound of the rows they delete, equality-delete files."""

    files: _Ints
    rows: _Ints
    equality: _Ints


def count_deletes(data: pa.Table, deletes: pa.Table) -> DeleteCounts:
    """Return, for each row of `data` (live data entries), what `deletes` (live delete entries) may do to it."""
    zeros = DeleteCounts(*(np.zeros(data.num_rows, np.int64) for _ in range(3)))
    if not deletes.num_rows or not data.num_rows:
        return zeros
    position = deletes.filter(pc.equal(deletes["content"], POSITION_DELETES))
    aimed = position.filter(pc.is_valid(position["target"]))
    _count_aimed(data, aimed, zeros)
    wide = position.filter(pc.is_null(position["target"]))
    is_moved = pc.fill_null(pc.not_equal(wide["file_sequence_number"], wide["sequence_number"]), True)
    for some, oldest in (
        (wide.filter(pc.invert(is_moved)), _arrival(data)),
        (wide.filter(is_moved), _ints(data, "sequence_number")),
    ):
        _count_by_partition(data, some, zeros.files, zeros.rows, oldest=oldest, side="left")
    equality = deletes.filter(pc.equal(deletes["content"], EQUALITY_DELETES))
    is_global = pc.equal(pc.cast(equality["partition"], pa.string()), UNPARTITIONED)
    partial, ages = equality.filter(pc.invert(is_global)), _ints(data, "sequence_number")
    _count_by_partition(data, partial, zeros.equality, None, oldest=ages, side="right")
    sequences = np.sort(_ints(equality.filter(is_global), "sequence_number"))
    zeros.equality[:] += len(sequences) - np.searchsorted(sequences, ages, side="right")
    np.minimum(zeros.rows, _ints(data, "record_count"), out=zeros.rows)
    return zeros


def _count_aimed(data: pa.Table, aimed: pa.Table, counts: DeleteCounts) -> None:
    at = pc.index_in(aimed["target"], value_set=data["path"])
    found = aimed.filter(pc.is_valid(at))
    rows = at.drop_null().to_numpy().astype(np.int64)
    applies = _ints(found, "sequence_number") >= _ints(data, "sequence_number")[rows]
    np.add.at(counts.files, rows[applies], 1)
    np.add.at(counts.rows, rows[applies], _ints(found, "record_count")[applies])


def _arrival(data: pa.Table) -> _Ints:
    """Return when each data file came: a rewrite's output keeps an old data sequence number.

    What was written before a file can't name its rows, although readers have to look.
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


class PositionDeletes:
    """Live position-delete files by what they are about: for looking up the files of groups, not of whole tables."""

    def __init__(self, *, deletes: pa.Table) -> None:
        self._aimed: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._wide: dict[tuple[int, str], list[Mapping[str, Any]]] = defaultdict(list)
        wanted = deletes.filter(pc.equal(deletes["content"], POSITION_DELETES))
        columns = ["path", "target", "spec_id", "partition", "sequence_number", "file_bytes"]
        for each in wanted.select(columns).to_pylist():
            if each["target"] is not None:
                self._aimed[each["target"]].append(each)
            else:
                self._wide[(each["spec_id"], each["partition"])].append(each)

    def of(self, *, path: str, spec_id: int, partition: str, sequence_number: int) -> tuple[DeleteRef, ...]:
        """Return the delete files that apply to one data file, in order of path."""
        candidates: Sequence[Mapping[str, Any]] = [
            *self._aimed.get(path, ()),
            *self._wide.get((spec_id, partition), ()),
        ]
        applying = {
            each["path"]: each["file_bytes"] for each in candidates if each["sequence_number"] >= sequence_number
        }
        return tuple(DeleteRef(path=each, file_bytes=applying[each]) for each in sorted(applying))
