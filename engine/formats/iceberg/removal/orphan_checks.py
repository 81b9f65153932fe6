"""Checks of a search for orphans: whether the listing and the table's metadata agree, so that files may be deleted."""

import re
from datetime import timedelta
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import NotEligible, StateConflict
from engine.formats.iceberg.catalog.paths import (
    all_locations,
    metadata_location,
    normalised,
    own_location_provider,
)
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.orphan_references import References
from engine.formats.iceberg.removal.reachability import check_may_delete
from engine.formats.intake.errors import printable_path
from engine.formats.intake.other_formats import ICEBERG
from engine.formats.intake.outside_files import are_outside
from engine.formats.removal.listings import ListedFiles
from engine.formats.removal.path_keys import Keys, are_in, keys_of
from engine.formats.removal.scopes import Scope
from engine.rewriting.kernel.storage.stores.addresses import file_name

_VERSION: Final = re.compile(r"v?([0-9]{1,9})(?:[-.].*)?\.metadata\.json(?:\.gz)?")
_IN_FLIGHT: Final = timedelta(hours=1)


def check_places(view: TableView, scope: Scope) -> None:
    """Raise `NotEligible` unless all files of the table are known and written below its own location."""
    check_may_delete(view)
    metadata = view.metadata
    if named := own_location_provider(metadata.properties):
        raise NotEligible(f"the table has its own location provider ({named}), so its files can't be listed")
    places = [f"{each.rstrip('/')}/x" for each in (*all_locations(metadata), metadata_location(metadata))]
    outside = are_outside(pa.chunked_array([pa.array(places, pa.string())]), scope.own)
    if pc.any(outside).as_py():
        moved = places[outside.to_pylist().index(True)][:-2]
        raise NotEligible(f"the table writes to {moved[:300]}, outside of its registered location: no file is deleted")


def check_complete(found: ListedFiles, references: References) -> None:
    """Raise `StateConflict` if a listing lacks a file that must exist, or an inventory more than a tenth of them."""
    keys, listed, settled = found.keys(), references.listed(), references.settled()
    missing = _missing(keys, listed)
    if missing:
        raise StateConflict(
            f"{missing} of {len(listed)} files that snapshots need are missing in the listing of {found.files} "
            "files: the listing is not complete, so nothing is deleted"
        )
    missing = _missing(keys, settled)
    if missing * 10 > len(settled):
        raise StateConflict(
            f"{missing} of {len(settled)} files that snapshots need, of a day before the inventory or earlier, are "
            "missing in it: it is not complete, or not of this table, so nothing is deleted"
        )


def check_versions(found: ListedFiles, view: TableView, references: Keys, scope: Scope, now_us: int) -> pa.Table:
    """Check the versions of metadata that were listed against the current one; return those that nothing refers to.

    Raises:
        NotEligible: some are in another folder and nothing refers to them: another table is inside the location; or
            other files show a table of another format there.
        StateConflict: one is later than the current version: the catalog may have been restored from a backup, and
            files that only lost commits refer to are not orphans then.
    """
    own = frozenset((ICEBERG, root) for root in found.tables.roots(ICEBERG))
    found.tables.check(view.metadata.location, own, scope.others)
    unknown = found.metadata.filter(pa.array(~are_in(references, keys_of(found.metadata["path"]))))
    unknown = unknown.filter(are_outside(unknown["path"], scope.others))
    folder = normalised(metadata_location(view.metadata))
    current = _version(view.table.metadata_location)
    for path, at_us in zip(unknown["path"].to_pylist(), unknown["modified_us"].to_pylist(), strict=True):
        shown = printable_path(path)
        if normalised(path.rpartition("/")[0]) != folder:
            raise NotEligible(
                f"{shown} is metadata of another table inside the location of this one, so no file is deleted: "
                "move one of the tables to a location of its own"
            )
        is_later = current is not None and (_version(path) or 0) > current
        if is_later and at_us < now_us - _IN_FLIGHT // timedelta(microseconds=1):
            raise StateConflict(
                f"{shown} is later than the metadata that the catalog names ({file_name(view.table.metadata_location)}"
                "): the catalog may have been restored from a backup, so no file is deleted; if a failed commit left "
                "the file, delete it"
            )
    return unknown


def _missing(ordered: Keys, keys: Keys) -> int:
    return int((~are_in(ordered, keys)).sum()) if len(ordered) else len(keys)


def _version(path: str) -> int | None:
    found = _VERSION.fullmatch(file_name(path))
    return None if found is None else int(found[1])
