"""The files that a table refers to, as keys of their names: of all its snapshots, tags, branches and changelogs.

Every file that a manifest names counts, also one that it deletes, as in Paimon's own search. Names of files are unique
in a table: a file that has the name of another one in another folder counts as referred to.

Memory: 8 bytes per name, and the names of the manifests.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.overlapping import overlapped
from engine.formats.paimon.manifests.lists import ManifestRef
from engine.formats.paimon.removal.entries import read_files, read_indexes
from engine.formats.paimon.removal.roots import Root, SeenRoots, changelog_manifests, read_roots
from engine.formats.paimon.view import TableView
from engine.formats.removal.path_keys import Keys, SeenKeys, are_in, keys_of

_READERS: Final = 8
_NO_KEY: Final = np.uint64(2**64 - 1)


class References:
    """Keys of the names of all files that versions of a table refer to; what was read once is not read again."""

    def __init__(self) -> None:
        self._roots = SeenRoots()
        self._manifests: set[str] = set()
        self._seen = SeenKeys()
        self._new: list[Keys] = []
        self._keys = np.array([_NO_KEY])

    def add(self, view: TableView) -> Sequence[int]:
        """Add the files of the table as it is now; return the identities of what refers to them, see `Root.identity`.

        Raises:
            Malformed: a root, or a manifest or list of one that is still there, can't be read.
            OSError: the store does not answer.
        """
        roots = read_roots(view.files)
        self._roots.look(view.files, roots, lambda root: self._look_at(view, root))
        return sorted(each.identity for each in roots)

    def keys(self) -> Keys:
        """Return the sorted keys of all names that are referred to."""
        return self._sorted()[:-1]

    def have(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Return for each key of a name, see `name_keys`, whether it is referred to."""
        return are_in(self._sorted(), keys)

    def _sorted(self) -> Keys:
        """Return the sorted keys; there is always one."""
        if self._new:
            self._keys = np.sort(np.concatenate([self._keys, *self._new]))
            self._new = []
        return self._keys

    def _look_at(self, view: TableView, root: Root) -> None:
        snapshot = root.snapshot
        lists = [each for each in (snapshot.base, snapshot.delta, snapshot.changelog) if each is not None]
        named = [snapshot.index_manifest, snapshot.statistics, *(each.name for each in lists)]
        self._add_names(pa.array([each for each in named if each is not None], pa.string()))
        if snapshot.index_manifest is not None and snapshot.index_manifest not in self._manifests:
            self._add_names(view.reader.decoded(snapshot.index_manifest, None, read_indexes)["name"])
            self._manifests.add(snapshot.index_manifest)
        self._add_manifests(view, [*view.reader.manifests(snapshot), *changelog_manifests(view.reader, snapshot)])

    def _add_manifests(self, view: TableView, manifests: Sequence[ManifestRef]) -> None:
        new = [each for each in dict.fromkeys(manifests) if each.name not in self._manifests]
        self._add_names(pa.array([each.name for each in new], pa.string()))
        for each, keys in zip(new, self._read(view, new), strict=True):
            self._add(keys)
            self._manifests.add(each.name)

    def _read(self, view: TableView, manifests: Sequence[ManifestRef]) -> Iterator[Keys]:
        def keys_in(each: ManifestRef) -> Keys:
            return view.reader.decoded(each.name, each.file_bytes, _keys_in)

        return overlapped(keys_in, manifests, at_once=_READERS)

    def _add_names(self, names: pa.Array | pa.ChunkedArray) -> None:
        self._add(keys_of(names))

    def _add(self, keys: Keys) -> None:
        self._new.append(keys[self._seen.add(keys)])


def name_keys(paths: pa.ChunkedArray) -> Keys:
    """Return the key of the name of each file: of what follows the last slash of its path."""
    return keys_of(pc.replace_substring_regex(paths, "(?s)^.*/", ""))


def _keys_in(stored: bytes) -> Keys:
    entries = read_files(stored)
    return np.concatenate([keys_of(entries["name"]), keys_of(pc.list_flatten(entries["extra_files"]))])
