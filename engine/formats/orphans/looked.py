"""The result of a look for orphans: the files that nothing refers to, and those of them past quarantine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.expiry import instant
from engine.domain.runs.removals import FileCount, OrphanRule, RemovalPlan
from engine.formats.deletion.file_lists import LISTED, FileKind, FileList, ListWriter, listed
from engine.formats.deletion.path_keys import Keys
from engine.formats.deletion.scopes import Refused
from engine.formats.orphans.looks import Look

_SAMPLES: Final = 10


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of a look: one listing of the table's files, compared with its metadata.

    Attributes:
        look: what is stored of it.
        listed: number of listed files.
        due: the files past quarantine.
        refused: files that nothing refers to and that must not be deleted.
        keys: of the files that exist, sorted; those of references may be among them.
        rule: which files are orphans.
        inventory_us: when the inventory was taken that has the files; None: they were listed.
        more: number of orphans that are left for later looks, as there are too many for one.
    """

    look: Look
    listed: int
    due: FileList
    refused: Refused
    keys: Keys = field(repr=False)
    rule: OrphanRule
    inventory_us: int | None = None
    more: int = 0

    def plan(self, *, path: str = "") -> RemovalPlan:
        """Return the files past quarantine as the plan that a run records, with what waits and what is left alone."""
        files, due = self.look.files, sum(self.due.counts().values(), FileCount())
        total = FileCount(files.num_rows, int(pc.sum(files["file_bytes"].cast(pa.float64())).as_py() or 0))
        waiting = files.filter(pc.invert(self.look.past_quarantine(self.rule.quarantine)))["since_us"]
        next_us = None if not len(waiting) else pc.min(waiting).as_py() + us(self.rule.quarantine)
        found = {
            "taken_at": instant(self.look.taken_us // 1000).isoformat(),
            **({} if self.inventory_us is None else {"inventory_at": instant(self.inventory_us // 1000).isoformat()}),
            "listed_files": self.listed,
            "referenced_files": self.look.referenced,
            "unreferenced": total.document(),
            **({"left_for_later": self.more} if self.more else {}),
            "in_quarantine": FileCount(total.files - due.files, total.bytes - due.bytes).document(),
            "next_at": None if next_us is None else instant(next_us // 1000).isoformat(),
        }
        details = {
            "look": found,
            "samples": self.due.samples(_SAMPLES),
            "refused": {"counts": dict(self.refused.counts), "samples": dict(self.refused.samples)},
        }
        return RemovalPlan(self.due.counts(), details, path)


def due_files(look: Look, rule: OrphanRule, kinds: Sequence[tuple[FileKind, str]]) -> FileList:
    """Return the files past quarantine, in the order in which kinds of files are deleted.

    Args:
        look: the look.
        rule: which files are orphans.
        kinds: each with a regular expression of the paths of its files; the first that matches counts, and a file that
            none matches is not deleted.
    """
    due, found = look.files.filter(look.past_quarantine(rule.quarantine)), dict[FileKind, pa.Table]()
    for kind, pattern in kinds:
        is_of_kind = pc.match_substring_regex(due["path"], pattern)
        files, due = due.filter(is_of_kind), due.filter(pc.invert(is_of_kind))
        found[kind] = listed(files["path"], kind, file_bytes=files["file_bytes"]).cast(LISTED)
    writer = ListWriter(look.origin)
    for kind in FileKind:
        writer.add(found.get(kind, LISTED.empty_table()))
    return writer.finish()


def with_times(files: pa.Table, look: Look) -> pa.Table:
    """Return files to delete with the times that a look found, `modified_us`, by which they are compared."""
    places = pc.index_in(files["path"], value_set=look.files["path"])
    return files.append_column("modified_us", look.files["modified_us"].take(places))


def us(duration: timedelta) -> int:
    """Return a duration in microseconds."""
    return duration // timedelta(microseconds=1)
