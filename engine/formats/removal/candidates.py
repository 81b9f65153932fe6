"""Candidates of a look: files that nothing refers to, with the first look that found each, as many as can be stored."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import StateConflict
from engine.formats.removal.file_lists import FileKind, listed
from engine.formats.removal.listings import FOUND
from engine.formats.removal.looks import CANDIDATES, Look
from engine.formats.removal.path_keys import are_in, keys_of
from engine.formats.removal.scopes import RefusedFiles, Scope

OTHER_NAME: Final = "other_name"
"""Reason of `RefusedFiles`: no writer of the format gives a file of this place such a name."""

OF_OPEN_RUN: Final = "of_open_run"
"""Reason of `RefusedFiles`: a live run may still commit the file."""

LOOK_BYTES: Final = 2**29
"""Size in memory from which a look takes no more files, about 4 million: what is stored can be read again."""

_NO_KEY: Final = np.uint64(2**64 - 1)


def candidates(orphans: pa.Table, earlier: Look | None, now_us: int) -> pa.Table:
    """Return orphans, with the schema `listings.FOUND`, as `CANDIDATES`: with the first look that found each."""
    if earlier is None or earlier.taken_us > now_us:
        since = pa.repeat(now_us, orphans.num_rows)
    else:
        since = earlier.first_seen(orphans, now_us)
    return pa.table([*orphans.columns, since], schema=CANDIDATES)


def within_limit(orphans: Iterator[pa.Table], earlier: Look | None) -> tuple[pa.Table, int]:
    """Return orphans, with the schema `listings.FOUND`, and the number of those beyond the limit of a look.

    Files that the earlier look has come first: so their quarantine goes on, however many others there are.
    """
    before = CANDIDATES.empty_table() if earlier is None else earlier.files
    known, room = np.append(np.sort(keys_of(before["path"])), _NO_KEY), LOOK_BYTES - before.nbytes
    kept, more = [FOUND.empty_table()], 0
    for batch in orphans:
        is_known = pa.array(are_in(known, keys_of(batch["path"])))
        if room <= 0:
            more += batch.num_rows - pc.sum(is_known, min_count=0).as_py()
            kept.append(batch.filter(is_known))
        else:
            room -= batch.filter(pc.invert(is_known)).nbytes
            kept.append(batch)
    return pa.concat_tables(kept), more


def in_scope(files: pa.Table, scope: Scope, refused: RefusedFiles) -> pa.Table:
    """Return the files, with the schema `listings.FOUND`, that may be deleted; count the others in `refused`."""
    as_content = listed(files["path"], FileKind.DATA, file_bytes=files["file_bytes"])
    allowed = scope.allowed(as_content, refused)["path"]
    return files if len(allowed) == files.num_rows else files.filter(pc.is_in(files["path"], value_set=allowed))


def of_kinds(
    files: pa.Table, kinds: Sequence[tuple[FileKind, str]], refused: RefusedFiles, *, untold: str = ""
) -> pa.Table:
    """Return the files whose place and name writers of the format give; count the others in `refused`.

    Args:
        files: with the schema `listings.FOUND`.
        kinds: each with a regular expression of the paths of its files.
        refused: counts the others.
        untold: a regular expression of the paths of those that are not counted; empty: all are.
    """
    is_known = pc.match_substring_regex(files["path"], "|".join(f"(?:{pattern})" for _, pattern in kinds))
    others = files["path"].filter(pc.invert(is_known))
    refused.add(others.filter(pc.invert(pc.match_substring_regex(others, untold))) if untold else others, OTHER_NAME)
    return files.filter(is_known)


def of_no_open_run(files: pa.Table, marks: Sequence[str], refused: RefusedFiles) -> pa.Table:
    """Return the files that no live run wrote; `marks`: the texts in the paths of the files of live runs."""
    for text in marks:
        is_open = pc.match_substring(files["path"], text)
        refused.add(files.filter(is_open)["path"], OF_OPEN_RUN)
        files = files.filter(pc.invert(is_open))
    return files


def check_shrinkage(earlier: Look | None, referenced: int, ids: Sequence[int]) -> None:
    """Raise `StateConflict` if the table lost references since the last look that no expiry explains.

    No expiry removes the newest snapshot, so a table that had snapshots has some. An expiry explains fewer references;
    if no snapshot is gone, at most a tenth of them may be.
    """
    if earlier is None:
        return
    if earlier.snapshot_ids and not ids:
        raise StateConflict(
            f"the table has no snapshot, {len(earlier.snapshot_ids)} at the last look, and no expiry removes all: the "
            "catalog's answer may be incomplete, so no file is deleted; if the table was emptied, commit to it first"
        )
    if referenced * 10 < earlier.referenced * 9 and set(earlier.snapshot_ids) <= set(ids):
        raise StateConflict(
            f"the table refers to {referenced} files, {earlier.referenced} at the last look, though no snapshot was "
            "removed since: no file is deleted"
        )
