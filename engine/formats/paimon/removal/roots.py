"""Roots that refer to files of a table: its snapshots, tags and long-lived changelogs, on main and on every branch."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from engine.domain.errors import NotEligible
from engine.formats.intake.errors import causes_of, printable
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.manifests.lists import ManifestRef
from engine.formats.paimon.manifests.reading import MetadataReader
from engine.formats.paimon.metadata.documents import Documents, read_document
from engine.formats.paimon.metadata.snapshots import Snapshot, parse_copy

_BRANCH: Final = "branch-"
_FOLDERS: Final = ("snapshot", "tag", "changelog")
"""Folders of documents that need files. In this order none is missed: a tag or changelog is written before its snapshot
expires, so that a snapshot that is gone when it is listed has its tag already."""


@dataclass(frozen=True, slots=True)
class Root:
    """A document that needs files, and where it is.

    Attributes:
        path: of the document.
        snapshot: what is in it.
        is_main: whether it is a snapshot of the main branch.
        is_tag: whether it is a tag: that needs the rows of its snapshot, but not the changes, as in Paimon.
    """

    path: str
    snapshot: Snapshot
    is_main: bool
    is_tag: bool

    @property
    def file_bytes(self) -> int:
        """Size of the document."""
        return self.snapshot.file_bytes

    @property
    def identity(self) -> int:
        """A number of 63 bits for this document: ids of snapshots are used again on branches and after a rollback.

        It depends on every file that the document names: one that is changed in place needs other files.
        """
        snapshot = self.snapshot
        files = (snapshot.base, snapshot.delta, snapshot.changelog, snapshot.index_manifest, snapshot.statistics)
        text = f"{self.path}\n{snapshot.committed_at_ms}\n{files}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def read_roots(files: TableFiles) -> Sequence[Root]:
    """Return all roots of a table; those that are removed at the same time are left out.

    Raises:
        Malformed: one can't be read, or there are too many, or they are too large.
        NotEligible: the catalog knows a tag or branch that has no files.
        Transient: one is being written.
        OSError: the store does not answer.
    """
    check_known(files)
    found, documents = list[Root](), Documents(files)
    for folder in _places(files):
        kind = folder.rpartition("/")[2]
        names = [each for each in files.storage.files(folder) if each.startswith(f"{kind}-")]
        is_main = folder == f"{files.location}/snapshot"
        found += documents.read([f"{folder}/{each}" for each in names], partial(_parsed, is_main, kind == "tag"))
    return found


def check_known(files: TableFiles) -> None:
    """Raise `NotEligible` if the catalog knows a tag or branch that has no files: what it needs is not known."""
    if files.managed is None:
        return
    for kind, named in (("tag", files.managed.tags()), ("branch", files.managed.branches())):
        folder = f"{files.location}/{kind}"
        stored = files.storage.files(folder) if kind == "tag" else files.storage.folders(folder)
        if missing := sorted(set(named) - {each.removeprefix(f"{kind}-") for each in stored}):
            raise NotEligible(
                f"the catalog has a {kind} {printable(missing[0][:80])}, of which {folder} has no files: which files "
                "of the table it needs is not known, so none is deleted"
            )


def exists(files: TableFiles, root: Root) -> bool:
    """Return whether a root is still there, and the same. Raises as `read_roots`."""
    return read_document(files, root.path, partial(parse_copy, path=root.path)) == root.snapshot


def changelog_manifests(reader: MetadataReader, snapshot: Snapshot) -> Sequence[ManifestRef]:
    """Return the manifests of a snapshot's changelog files; none if their list is gone.

    An expired snapshot loses its changelog files and their list, but comes back on a branch or by a rollback to a tag,
    with the name of the list. Without the list no reader finds the files.

    Raises:
        Malformed: the list can't be read.
        OSError: the store does not answer.
    """
    if snapshot.changelog is None:
        return ()
    try:
        return reader.listed(snapshot.changelog)
    except Malformed as error:
        if any(isinstance(each, FileNotFoundError) for each in causes_of(error)):
            return ()
        raise


class SeenRoots:
    """Roots that were looked at, which are not looked at again."""

    def __init__(self) -> None:
        self._identities: set[int] = set()

    def look(self, files: TableFiles, roots: Sequence[Root], look_at: Callable[[Root], None]) -> None:
        """Look at roots with `look_at`; one that was removed at the same time, with its files, is left out.

        Raises:
            Malformed: a root that is still there can't be read; the message names the file.
            OSError: the store does not answer.
        """
        for root in roots:
            if root.identity in self._identities:
                continue
            try:
                look_at(root)
            except Malformed as error:
                is_missing = any(isinstance(each, FileNotFoundError) for each in causes_of(error))
                if not is_missing or exists(files, root):
                    raise
            self._identities.add(root.identity)


def _places(files: TableFiles) -> Iterator[str]:
    yield from (f"{files.location}/{each}" for each in _FOLDERS)
    branches = f"{files.location}/branch"
    for name in files.storage.folders(branches):
        if name.startswith(_BRANCH):
            yield from (f"{branches}/{name}/{each}" for each in _FOLDERS)


def _parsed(is_main: bool, is_tag: bool, path: str, body: bytes) -> Root:
    return Root(path, parse_copy(body, path=path), is_main, is_tag)
