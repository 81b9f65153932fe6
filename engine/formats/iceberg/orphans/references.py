"""The files that a table's metadata refers to, as keys: of all snapshots of all branches and tags.

Memory: 8 bytes per live entry of a manifest, and the path of each manifest.
"""

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.iceberg.deletion.path_keys import Keys, SeenKeys, keys_of
from engine.formats.iceberg.deletion.paths_in_files import entries_in
from engine.formats.iceberg.deletion.reachability import KeptManifests, needed_by_metadata
from engine.formats.iceberg.deletion.scopes import Scope
from engine.formats.iceberg.deletion.stored_paths import StoredPaths
from engine.formats.iceberg.manifests.outside_files import are_outside
from engine.formats.iceberg.metadata.views import TableView

_NONE: Final = np.empty(0, np.uint64)


class References:
    """Keys of files that versions of a table refer to; a manifest is read once, whichever versions have it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._seen = SeenKeys()
        self._manifests = KeptManifests()
        self._every: list[Keys] = []
        self._existing: list[Keys] = []

    def add(self, view: TableView) -> None:
        """Add the files of a version.

        Raises:
            Malformed, NotEligible: a manifest or list can't be read; the message names it.
            OSError: the store does not answer.
        """
        snapshots = view.metadata.snapshots
        self._add(_array(needed_by_metadata(view, snapshots)), must_exist=False)
        new = self._manifests.add(view, snapshots)
        exist = [view.table.metadata_location, *(each.manifest_list for each in snapshots), *new]
        self._add(_array(exist), must_exist=True)
        for entries in StoredPaths(view.io).needed(new, entries_in):
            self._add(entries.filter(entries["is_live"])["path"], must_exist=True)

    def keys(self) -> Keys:
        """Return the sorted keys of all files that are referred to."""
        return np.sort(np.concatenate([_NONE, *self._every]))

    def existing(self) -> Keys:
        """Return the keys of those below the table's location that must exist: all but statistics and the log."""
        return np.concatenate([_NONE, *self._existing])

    def _add(self, paths: pa.ChunkedArray, *, must_exist: bool) -> None:
        keys = keys_of(paths)
        self._every.append(keys[self._seen.add(keys)])
        if must_exist:
            self._existing.append(keys_of(paths.filter(pc.invert(are_outside(paths, self._scope.own)))))


def _array(paths: list[str]) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(paths, pa.string())])
