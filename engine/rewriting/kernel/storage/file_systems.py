"""The stores of a task's files. Only files below the folders that the task names are opened, created or deleted.

Any other path is refused before the storage is asked: manifests are written by others and may name any file that the
credentials reach.

Limits: large outputs in S3, and all of them through Arrow, are not created exclusively: the name is looked up before it
is written; names that carry run, group and attempt make it enough.
"""

from collections.abc import Mapping, Sequence

from engine.rewriting.kernel.errors import OUTSIDE_FILES, Refused
from engine.rewriting.kernel.storage.credentials import Credentials
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores import connections
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.files import Files
from engine.uris.schemes import FILE


class Storage:
    """Opens, creates and deletes files below `places` by their paths. Connections are made on first use and kept.

    Every method that takes a path of a file raises `Refused` (`outside_files`, `unsupported_storage`) for one that is
    not below `places` or of an unknown scheme.
    """

    def __init__(
        self, *, properties: Mapping[str, str], places: Sequence[str], credentials: Credentials | None = None
    ) -> None:
        self._properties = properties
        self._credentials = credentials
        self._places = AllowedFolders(places)
        self._stores: dict[tuple[str, str], Files] = {}

    def check(self, uri: str) -> None:
        """Raise `Refused` for a path that is not below the folders of the task."""
        if not self._places.contains(uri):
            raise Refused(OUTSIDE_FILES, f"{uri} is not below {self._places}")

    def is_remote(self, uri: str) -> bool:
        """Return whether reading a file takes requests over a network."""
        return address_of(uri).kind != FILE

    def find(self, uri: str) -> "tuple[Files, str]":
        """Return the store of a file, and the file's path in it."""
        self.check(uri)
        found = address_of(uri)
        store = self._stores.get((found.kind, found.place))
        if store is None:
            store = self._stores[found.kind, found.place] = connections.files_of(
                found.kind, found.place, self._properties, self._credentials
            )
        return store, found.path

    @property
    def used(self) -> Mapping[str, str]:
        """The properties with the credentials that requests are signed with now."""
        return self._properties if self._credentials is None else self._credentials.present

    def renew(self, refused: Mapping[str, str]) -> bool:
        """Renew credentials that a store refused; return whether there are others than those of `refused`."""
        return self._credentials is not None and self._credentials.renew(refused)

    def delete(self, uri: str) -> None:
        """Delete a file; a missing file is not an error."""
        store, path = self.find(uri)
        try:
            store.delete(path)
        except FileNotFoundError:
            return
