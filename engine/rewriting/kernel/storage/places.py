"""The folders that a table's files may be in, and whether a path is below one of them.

Paths in metadata and manifests are untrusted. A path counts as below a folder only if all readers agree on it: the
canonical forms of both are compared (`engine.uris.locations`), and a path without one is below no folder. Paths are not
percent-decoded for comparison, as they are not decoded to open a file.
"""

import os
from collections.abc import Iterable
from typing import Final

from engine.uris.locations import Location, may_be_one
from engine.uris.schemes import FILE

_ROOT: Final = "/"


def normalise_uri(uri: str) -> str:
    """Return the canonical spelling of a path; a path without one as it is."""
    return str(Location.of(uri) or uri)


class AllowedFolders:
    """The folders that files of a table may be in, with everything below them."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.folders = tuple(dict.fromkeys(folders))
        self._found = [found for folder in self.folders if (found := Location.of(folder)) is not None]
        self._prefixes = tuple(f"{str(found).rstrip('/')}/" for found in self._found)

    def contains(self, uri: str) -> bool:
        """Return whether a path is below one of the folders, or is one of them."""
        found = Location.of(uri)
        return found is not None and f"{found}/".startswith(self._prefixes)

    def is_behind_link(self, uri: str) -> bool:
        """Return whether a symbolic link on the local disk leads to a file in another folder than its path names.

        Links above the folders may be followed: each folder is resolved too. False for files in stores, which have no
        links, and for a link in the last part of the path: deleting it leaves its target.

        Hazard: a link that is made after the check is followed. Local tables are for one machine and its user.
        """
        file = Location.of(uri)
        if file is None or file.scheme != FILE:
            return False
        folder = os.path.dirname(file.path) or _ROOT  # noqa: PTH120 - paths of stores are strings
        for root in self._found:
            if root.scheme == FILE and root.covers(file):
                within = os.path.relpath(folder, root.path or _ROOT)
                resolved = os.path.realpath(root.path or _ROOT)
                return os.path.realpath(folder) != os.path.normpath(os.path.join(resolved, within))  # noqa: PTH118
        return True

    def __str__(self) -> str:
        """Return the folders as text, for messages."""
        return ", ".join(self.folders) or "no folder"


class OtherFolders(AllowedFolders):
    """Folders whose files must not be changed: a path that any client may read as below one of them counts as below."""

    def __init__(self, folders: Iterable[str]) -> None:
        super().__init__(folders)
        self._by_parts = dict[tuple[str, ...], list[tuple[str, str, str]]]()
        for found in self._found:
            self._by_parts.setdefault(found.parts, []).append(found.store)

    def contains(self, uri: str) -> bool:
        """Return whether a path may be below one of the folders, or be one of them; True for an unclear path."""
        found = Location.of(uri)
        if found is None:
            return bool(self.folders)
        parts = found.parts
        return any(
            may_be_one(found.store, store)
            for depth in range(len(parts) + 1)
            for store in self._by_parts.get(parts[:depth], ())
        )
