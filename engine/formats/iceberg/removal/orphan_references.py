"""The files that a table's metadata refers to, as keys: of all snapshots of all branches and tags.

Memory: 8 bytes per live entry of a manifest, and the path of each manifest.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.paths_in_files import entries_in
from engine.formats.iceberg.removal.reachability import KeptManifests, needed_by_metadata
from engine.formats.iceberg.removal.stored_paths import StoredPaths
from engine.formats.intake.outside_files import are_outside
from engine.formats.removal.path_keys import Keys, SeenKeys, keys_of
from engine.formats.removal.scopes import Scope
from engine.rewriting.kernel.storage.places import AllowedFolders

_NONE: Final = np.empty(0, np.uint64)


class References:
    """Keys of files that versions of a table refer to; a manifest is read once, whichever versions have it."""

    def __init__(self, scope: Scope, listed: AllowedFolders, settled_ms: int) -> None:
        """Take where files are, see `sources.FileSource`."""
        self._scope = scope
        self._listed = listed
        self._settled_ms = settled_ms
        self._seen = SeenKeys()
        self._manifests = KeptManifests()
        self._every: list[Keys] = []
        self._listed_keys: list[Keys] = []
        self._settled: list[Keys] = []

    def add(self, view: TableView) -> None:
        """Add the files of a version.

        Raises:
            Malformed, NotEligible: a manifest or list can't be read; the message names it.
            OSError: the store does not answer.
        """
        snapshots = view.metadata.snapshots
        self._add(_array(needed_by_metadata(view, snapshots)))
        self._must_exist(_array([view.table.metadata_location, *(each.manifest_list for each in snapshots)]))
        for is_settled in (True, False):
            some = [each for each in snapshots if (each.timestamp_ms < self._settled_ms) is is_settled]
            new = self._manifests.add(view, some)
            self._add(_array(new))
            self._must_exist(_array(new))
            for entries in StoredPaths(view.io).needed(new, entries_in):
                live = entries.filter(entries["is_live"])["path"]
                self._add(live)
                self._must_exist(live, is_settled=is_settled)

    def keys(self) -> Keys:
        """Return the sorted keys of all files that are referred to."""
        return np.sort(np.concatenate([_NONE, *self._every]))

    def listed(self) -> Keys:
        """Return the keys of those that a listing must have: all but statistics and the log."""
        return np.concatenate([_NONE, *self._listed_keys])

    def settled(self) -> Keys:
        """Return the keys of content files of settled snapshots that are not listed."""
        return np.concatenate([_NONE, *self._settled])

    def _add(self, paths: pa.ChunkedArray) -> None:
        keys = keys_of(paths)
        self._every.append(keys[self._seen.add(keys)])

    def _must_exist(self, paths: pa.ChunkedArray, *, is_settled: bool = False) -> None:
        is_listed = pc.invert(are_outside(paths, self._listed))
        self._listed_keys.append(keys_of(paths.filter(is_listed)))
        if is_settled:
            others = paths.filter(pc.invert(is_listed))
            self._settled.append(keys_of(others.filter(pc.invert(are_outside(others, self._scope.own)))))


def _array(paths: Sequence[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(paths, pa.string())])
