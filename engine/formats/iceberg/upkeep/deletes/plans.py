"""Select the position-delete files to rewrite: several of one partition, and those that apply to no live data file.

Decided from manifests alone. Files are merged per partition spec and partition; where `write.delete.granularity` is
`file`, per data file. One new file replaces those of a group, so that a table that was just rewritten has nothing to
rewrite. One exception: with granularity `file`, files without exact bounds can turn out to be of one data file, and the
next rewrite merges their new file with that data file's. Equality deletes are counted and never selected.

Memory of a rewrite: about 60 bytes for each row of one group, 0.25 GB at `MOST_ROWS`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import ManifestContent, ManifestFile

from engine.domain.errors import NotEligible
from engine.domain.runs.deletes import DeletePlan
from engine.formats.iceberg.catalog.paths import own_location_provider
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.manifests.decoding import (
    DELETED,
    ENTRIES,
    EQUALITY_DELETES,
    POSITION_DELETES,
    DeleteIdentity,
    identities,
    identity_keys,
)
from engine.formats.iceberg.metadata.deletes import apply_to_nothing
from engine.formats.iceberg.metadata.views import TableView

GRANULARITY: Final = "write.delete.granularity"
MOST_ROWS: Final = 4_000_000
"""Rows of the delete files that one new file replaces."""
MOST_BYTES: Final = 64 * 2**20
"""Stored size of the delete files that one new file replaces; larger files are left alone."""
MOST_ROWS_OF_RUN: Final = 4 * MOST_ROWS
"""Rows that one snapshot replaces: the proof has those of a partition in memory. The next run continues."""
_NAMES: Final = (
    *("path", "target", "spec_id", "partition", "sequence_number", "record_count", "file_bytes"),
    *("content_offset", "content_bytes"),
)


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """One live position-delete file or deletion vector; `target` is the only data file that it applies to.

    Of a position-delete file it is known if its bounds are equal. `offset`, `length`: of a deletion vector in its file.
    """

    path: str
    target: str | None
    spec_id: int
    partition: str
    sequence_number: int
    record_count: int
    file_bytes: int
    offset: int | None = None
    length: int | None = None

    @property
    def stored_bytes(self) -> int:
        """Its stored size: of a deletion vector that of its blob."""
        return self.file_bytes if self.length is None else self.length

    @property
    def identity(self) -> DeleteIdentity:
        """Its path and place, which no other live delete has."""
        return self.path, self.offset, self.length


@dataclass(frozen=True, slots=True)
class DeleteSelection:
    """The delete files of a snapshot: groups that one file each replaces, and the number of others by reason."""

    groups: tuple[tuple[DeleteFile, ...], ...]
    left: Mapping[str, int]


def check_eligible(view: TableView) -> None:
    """Raise `NotEligible` for a table whose delete files are not rewritten."""
    version = view.metadata.format_version
    if version not in (1, 2, 3):
        raise NotEligible(f"delete files of format version {version} are not rewritten; those of 1, 2 and 3 are")
    if found := own_location_provider(view.metadata.properties):
        raise NotEligible(f"the table has a location provider of its own ({found})")
    view.check_features(Activity.DELETES)


def plan_deletes(view: TableView) -> DeletePlan:
    """Return the plan of a rewrite of delete files in a table without deletion vectors.

    Raises:
        NotEligible: the format version is unknown, or a location provider of the table's own names its files.
    """
    check_eligible(view)
    every = live_deletes(view, view.manifests(view.head))
    position = every.filter(pc.equal(every["content"], POSITION_DELETES))
    equality = every.filter(pc.equal(every["content"], EQUALITY_DELETES))
    found = select(view)
    chosen = [each for group in found.groups for each in group]
    return DeletePlan(
        files=position.num_rows,
        file_bytes=pc.sum(position["file_bytes"]).as_py() or 0,
        rewritten=len(chosen),
        rewritten_bytes=sum(each.file_bytes for each in chosen),
        added=sum(len(group) > 1 for group in found.groups),
        equality_files=equality.num_rows,
        equality_bytes=pc.sum(equality["file_bytes"]).as_py() or 0,
        left=found.left,
    )


def delete_manifests(manifests: Sequence[ManifestFile]) -> list[ManifestFile]:
    """Return the manifests of delete files that can be read."""
    return [each for each in manifests if each.content == ManifestContent.DELETES and each.key_metadata is None]


def live_deletes(view: TableView, manifests: Sequence[ManifestFile]) -> pa.Table:
    """Return the live entries of the delete manifests among these."""
    return view.reader.live(delete_manifests(manifests))


def delete_files_of(entries: pa.Table) -> list[DeleteFile]:
    """Return entries of position-delete files as values."""
    columns = [entries[name].cast(pa.string()) if name == "partition" else entries[name] for name in _NAMES]
    return [DeleteFile(*row) for row in zip(*(each.to_pylist() for each in columns), strict=True)]


def live_data(view: TableView, manifests: Sequence[ManifestFile]) -> pa.Table:
    """Return the live entries of the data manifests among these."""
    return view.reader.live([each for each in manifests if each.content == ManifestContent.DATA])


def select(view: TableView) -> DeleteSelection:
    """Return the groups of delete files of the head to rewrite, smallest files first, at most `MOST_ROWS_OF_RUN`."""
    manifests = view.manifests(view.head)
    every = live_deletes(view, manifests)
    position = every.filter(pc.equal(every["content"], POSITION_DELETES))
    if not position.num_rows:
        return DeleteSelection((), {})
    usable, left = usable_files(position)
    if not usable.num_rows:
        return DeleteSelection((), left)
    dangling = apply_to_nothing(live_data(view, manifests), usable, new=ENTRIES.empty_table())
    useless = set(identities(usable.filter(pa.array(dangling))))
    by_file = view.metadata.properties.get(GRANULARITY, "").strip().lower() == "file"
    return DeleteSelection(tuple(_within_limits(_groups(usable, useless, by_file=by_file))), left)


def usable_files(position: pa.Table) -> tuple[pa.Table, Mapping[str, int]]:
    """Return the delete files that can be rewritten, and the number of others by the first reason that holds."""
    keys = identity_keys(position)
    counts = pc.value_counts(keys)
    twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    is_large = pc.or_(pc.greater(position["record_count"], MOST_ROWS), pc.greater(position["file_bytes"], MOST_BYTES))
    reasons: Mapping[str, Any] = {
        "encrypted": position["is_encrypted"],
        "outside": position["is_outside"],
        "not_parquet": pc.not_equal(position["file_format"].cast(pa.string()), "parquet"),
        "listed_twice": pc.is_in(keys, value_set=twice),
        "too_large": is_large,
    }
    left: Counter[str] = Counter()
    is_usable = pc.not_equal(position["status"], DELETED)
    for reason, holds in reasons.items():
        left[reason] = pc.sum(pc.and_(is_usable, holds)).as_py() or 0
        is_usable = pc.and_(is_usable, pc.invert(holds))
    return position.filter(is_usable), {reason: count for reason, count in left.items() if count}


def _groups(usable: pa.Table, useless: set[DeleteIdentity], *, by_file: bool) -> Iterator[tuple[DeleteFile, ...]]:
    alike: dict[tuple[int, str, str | None], list[DeleteFile]] = defaultdict(list)
    for file in delete_files_of(usable):
        alike[file.spec_id, file.partition, file.target if by_file else None].append(file)
    for _, files in sorted(alike.items(), key=lambda one: (one[0][0], one[0][1], one[0][2] or "")):
        for group in _bins(sorted(files, key=lambda file: (file.record_count, file.path))):
            if len(group) > 1 or group[0].identity in useless:
                yield group


def _bins(files: Sequence[DeleteFile]) -> Iterator[tuple[DeleteFile, ...]]:
    """Yield files in groups that are within `MOST_ROWS` and `MOST_BYTES`."""
    group: list[DeleteFile] = []
    rows = size = 0
    for each in files:
        if group and (rows + each.record_count > MOST_ROWS or size + each.file_bytes > MOST_BYTES):
            yield tuple(group)
            group, rows, size = [], 0, 0
        group.append(each)
        rows, size = rows + each.record_count, size + each.file_bytes
    if group:
        yield tuple(group)


def _within_limits(groups: Iterator[tuple[DeleteFile, ...]]) -> Iterator[tuple[DeleteFile, ...]]:
    room = MOST_ROWS_OF_RUN
    for group in groups:
        room -= sum(each.record_count for each in group)
        if room < 0:
            return
        yield group
