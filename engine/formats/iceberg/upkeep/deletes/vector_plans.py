"""Select what a rewrite of deletes in a table of format version 3 replaces, from manifests alone.

- Position-delete files, which such a table gets no more, become deletion vectors. Readers ignore them for a data file
  that has a vector, so those that share a data file are converted together: all of a partition if one of them is of the
  whole partition, otherwise those of each data file.
- Vectors are copied out of Puffin files that are mostly dead or have no footer, and where a partition has many small
  files. Whether a file is mostly dead is known without reading it: the size that its live vectors would take.
- Vectors of data files that are no longer live are dropped.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import NotEligible
from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.hot_partitions import Place
from engine.formats.iceberg.manifests.decoding import (
    ENTRIES,
    EQUALITY_DELETES,
    FIRST_WITH_VECTORS,
    POSITION_DELETES,
    are_vectors,
)
from engine.formats.iceberg.metadata.deletes import apply_to_nothing, vector_faults
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.deletes.plans import (
    MOST_ROWS_OF_RUN,
    DeleteFile,
    check_eligible,
    delete_files_of,
    live_data,
    live_deletes,
    usable_files,
)
from engine.formats.iceberg.upkeep.deletes.puffin_files import LEAST_FOOTER, MAGIC, VectorBlob, puffin_of

LIVE_SHARE: Final = 0.5
"""Share of a Puffin file below which its live vectors are copied."""
MOST_FILES: Final = 100
"""Small Puffin files of a partition from which on they are joined."""
SMALL_BYTES: Final = 8 * 2**20
"""Size of a small Puffin file, and the largest vector that is copied."""
MOST_MOVED_BYTES: Final = 256 * 2**20
"""Vectors that one run copies; it has them in memory. The next run continues."""


@dataclass(frozen=True, slots=True)
class VectorSelection:
    """The deletes of a snapshot that a rewrite replaces.

    Attributes:
        conversions: position-delete files that become vectors, in units that share no data file.
        moves: vectors to be copied.
        dropped: vectors of data files that are not live.
        left: number of other position-delete files and vectors by reason.
    """

    conversions: tuple[tuple[DeleteFile, ...], ...]
    moves: tuple[DeleteFile, ...]
    dropped: tuple[DeleteFile, ...]
    left: Mapping[str, int]


def with_vectors(view: TableView) -> bool:
    """Return whether the table's format version has deletion vectors."""
    return view.metadata.format_version >= FIRST_WITH_VECTORS


def plan_vectors(view: TableView) -> DeletePlan:
    """Return the plan of a rewrite of deletes in a table of version 3. Raises `NotEligible` as `select_vectors`."""
    check_eligible(view)
    every = live_deletes(view, view.manifests(view.head))
    position = every.filter(pc.equal(every["content"], POSITION_DELETES))
    equality = every.filter(pc.equal(every["content"], EQUALITY_DELETES))
    found = select_vectors(view)
    converted = [file for unit in found.conversions for file in unit]
    sizes = {each.path: each.file_bytes for each in delete_files_of(position)}
    rewritten = {each.path for each in (*converted, *found.moves, *found.dropped)}
    return DeletePlan(
        files=len(sizes),
        file_bytes=sum(sizes.values()),
        rewritten=len(rewritten),
        rewritten_bytes=sum(sizes[path] for path in rewritten),
        added=len({(each.spec_id, each.partition) for each in (*converted, *found.moves)}),
        equality_files=equality.num_rows,
        equality_bytes=pc.sum(equality["file_bytes"]).as_py() or 0,
        left=found.left,
    )


def select_vectors(view: TableView) -> VectorSelection:
    """Return the deletes of the head to replace.

    Raises:
        NotEligible: readers fail on a deletion vector of the table.
    """
    manifests = view.manifests(view.head)
    every, data = live_deletes(view, manifests), live_data(view, manifests)
    if faults := vector_faults(data, every):
        raise NotEligible(f"of the table's deletion vectors {'; '.join(faults)}")
    is_vector = are_vectors(every)
    vectors = every.filter(is_vector)
    others = every.filter(pc.and_not(pc.equal(every["content"], POSITION_DELETES), is_vector))
    usable, left = usable_files(others)
    conversions, blocked = _conversions(usable, others)
    dangling = pa.array(apply_to_nothing(data, vectors, new=ENTRIES.empty_table()))
    applied = vectors.filter(pc.invert(dangling))
    is_open = pc.invert(pc.or_(applied["is_encrypted"], applied["is_outside"]))
    wanted = list(_moves(delete_files_of(applied.filter(is_open))))
    moves = [each for each in wanted if each.stored_bytes <= SMALL_BYTES and each.record_count <= MOST_ROWS_OF_RUN]
    counted = Counter(left) + Counter(blocked) + Counter({"too_large": len(wanted) - len(moves)})
    return VectorSelection(
        conversions,
        tuple(_within_a_run(moves)),
        tuple(delete_files_of(vectors.filter(dangling))),
        {reason: count for reason, count in counted.items() if count},
    )


def _conversions(usable: pa.Table, every: pa.Table) -> tuple[tuple[tuple[DeleteFile, ...], ...], Mapping[str, int]]:
    """Return the units of position-delete files within the limit of a run, and the number of others by reason."""
    listed, taken = delete_files_of(every), {each.identity for each in delete_files_of(usable)}
    wide = {_place(each) for each in listed if each.target is None}
    units: dict[tuple[Place, str | None], list[DeleteFile]] = defaultdict(list)
    for each in listed:
        units[_place(each), None if _place(each) in wide else each.target].append(each)
    found, left, room = list[tuple[DeleteFile, ...]](), Counter[str](), MOST_ROWS_OF_RUN
    for _, unit in sorted(units.items(), key=lambda one: (one[0][0], one[0][1] or "")):
        known = [each for each in unit if each.identity in taken]
        rows = sum(each.record_count for each in unit)
        if len(known) < len(unit):
            left["shares_data_files"] += len(known)
        elif rows > MOST_ROWS_OF_RUN:
            left["too_large"] += len(unit)
        elif rows <= room:
            found.append(tuple(unit))
            room -= rows
    return tuple(found), left


def _moves(vectors: Sequence[DeleteFile]) -> Iterator[DeleteFile]:
    """Yield the vectors that are to be copied into other files."""
    by_file: dict[str, list[DeleteFile]] = defaultdict(list)
    for each in vectors:
        by_file[each.path].append(each)
    crowded: dict[Place, set[str]] = defaultdict(set)
    for path, some in by_file.items():
        if sum(each.stored_bytes for each in some) < SMALL_BYTES:
            for each in some:
                crowded[_place(each)].add(path)
    poor = {path for path, some in by_file.items() if _is_poor(some)}
    for each in vectors:
        joined = crowded[_place(each)]
        if each.path in poor or (each.path in joined and len(joined) > MOST_FILES):
            yield each


def _within_a_run(moves: Sequence[DeleteFile]) -> Iterator[DeleteFile]:
    room = MOST_MOVED_BYTES
    for each in moves:
        room -= each.stored_bytes
        if room < 0:
            return
        yield each


def _is_poor(live: Sequence[DeleteFile]) -> bool:
    """Return whether a Puffin file is mostly dead, given its live vectors, or has no room for a footer."""
    size = live[0].file_bytes
    first, end = min(each.offset or 0 for each in live), max((each.offset or 0) + each.stored_bytes for each in live)
    if first < len(MAGIC) or end > size - LEAST_FOOTER:
        return True
    blobs = [VectorBlob(b"", each.target or "", each.record_count) for each in live]
    described = len(puffin_of(blobs, created_by="").body)
    return described + sum(each.stored_bytes for each in live) < LIVE_SHARE * size


def _place(file: DeleteFile) -> Place:
    return file.spec_id, file.partition
