"""Checks of a search for orphans: whether a table may be searched, and whether the listing agrees with its metadata."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import NotEligible, StateConflict
from engine.domain.runs.removals import OrphanRule
from engine.formats.intake.other_formats import ICEBERG, PAIMON
from engine.formats.intake.parameters import listed
from engine.formats.paimon.metadata.known_options import Activity
from engine.formats.paimon.view import TableView
from engine.formats.removal.listings import ListedFiles
from engine.formats.removal.path_keys import Keys, are_in, keys_of
from engine.formats.removal.scopes import Scope


def check_options(view: TableView) -> None:
    """Raise `NotEligible` if an option of the table is unknown, or names another place for files of the table.

    So does one that keeps changelogs for longer than snapshots: Packhouse does not search for those.
    """
    if problems := view.option_problems(Activity.ORPHANS):
        raise NotEligible(f"no file is deleted: the table option {listed(problems)}")


def check_rule(rule: OrphanRule) -> None:
    """Raise `NotEligible` if the rule names an inventory: those of Paimon tables are not read."""
    if rule.inventory is not None:
        raise NotEligible(
            "maintenance.remove_orphans.inventory is set: this version does not read files of Paimon tables from an "
            "inventory; remove it from the policy of this table"
        )


def check_alone(found: ListedFiles, view: TableView, scope: Scope) -> None:
    """Raise `NotEligible` if another table is inside the location that `scope` does not leave out.

    A Paimon table can write metadata by which readers of Iceberg read its own files.
    """
    location = view.files.location
    branch = re.compile(rf"{re.escape(location)}(?:/branch/branch-[^/]+)?")
    own = {(PAIMON, root) for root in found.tables.roots(PAIMON) if branch.fullmatch(root)}
    if view.schema.options.get("metadata.iceberg.storage", "disabled") != "disabled":
        own.add((ICEBERG, location))
    found.tables.check(location, frozenset(own), scope.others)


def check_complete(before: TableView, after: TableView, listed: Keys) -> None:
    """Raise `StateConflict` if a listing lacks a file that the newest snapshots before and after it both need.

    Args:
        before: the table before its files were listed.
        after: the table afterwards; its newest snapshot is usually the same.
        listed: sorted keys of the names of all listed files.
    """
    needed = np.intersect1d(_needed(before), _needed(after))
    missing = int((~are_in(listed, needed)).sum()) if len(listed) else len(needed)
    if missing:
        raise StateConflict(
            f"{missing} of {len(needed)} files that the newest snapshot needs are missing in the listing of "
            f"{len(listed)} files: the listing is not complete, so nothing is deleted"
        )


def _needed(view: TableView) -> Keys:
    """Return the keys of the names of live files in the table's location, and of manifests and lists."""
    if view.head is None:
        return np.empty(0, np.uint64)
    live = view.live.files
    inside = live.filter(pc.is_null(live["external_path"]))["name"]
    metadata = [view.head.base.name, view.head.delta.name, *(each.name for each in view.manifests)]
    return np.concatenate([keys_of(inside), keys_of(pa.array(metadata, pa.string()))])
