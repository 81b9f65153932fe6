"""Files of a table, read and written as a whole, with a limit of their size; only below the folders of a table."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from engine.domain.errors import NotEligible
from engine.formats.intake.limits import too_large
from engine.rewriting.kernel.errors import OUTSIDE_FILES, Refused
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import Address, address_of
from engine.rewriting.kernel.storage.stores.arrow_files import check_regular
from engine.rewriting.kernel.storage.stores.connections import files_of, whole_files_of
from engine.rewriting.kernel.storage.stores.files import Files, WholeFiles
from engine.rewriting.kernel.storage.stores.hdfs import HdfsFiles
from engine.uris.schemes import FILE


class TableStorage:
    """Reads, writes and deletes files and lists folders below `places`. `properties` are those of file access.

    Every method raises `NotEligible` for a path outside of the places or in a store that `properties` can't reach, and
    `OSError` if the store does not answer.
    """

    def __init__(self, properties: Mapping[str, str], *, places: AllowedFolders) -> None:
        self.properties = properties
        self.places = places

    def read(self, path: str, limit: int) -> bytes:
        """Return the content of a file.

        Raises:
            FileNotFoundError: there is none.
            Malformed: it is larger than `limit` bytes.
            OSError: as `check_regular`, too.
        """
        address = self._address(path)
        if address.kind == FILE:
            check_regular(address.path)
            with Path(address.path).open("rb") as stream:
                body = stream.read(limit + 1)
        else:
            body = self._store(address).read(address.path, 0, limit + 1)
        if len(body) > limit:
            raise too_large("it has", "", limit)
        return body

    def read_if_present(self, path: str, limit: int) -> bytes | None:
        """Return the content of a file, None if there is none. Raises as `read`."""
        try:
            return self.read(path, limit)
        except FileNotFoundError:
            return None

    def files(self, folder: str) -> Sequence[str]:
        """Return the names of the files directly in a folder; none if it is missing."""
        address = self._address(folder)
        if address.kind == FILE:
            return _entries(address.path, folders=False)
        return _names(self._store(address).files(address.path, is_recursive=False))

    def files_below(self, folder: str) -> Iterator[str]:
        """Yield the paths of all files below a folder; none if it is missing."""
        address = self._address(folder)
        prefix = folder.removesuffix(address.path)
        for path in self._files(address).files(address.path, is_recursive=True):
            yield f"{prefix}{path}"

    def write(self, path: str, body: bytes) -> None:
        """Write a whole file, also over one that exists."""
        address = self._address(path)
        if address.kind != FILE:
            self._store(address).replace(address.path, body)
            return
        target = Path(address.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
        part.write_bytes(body)
        part.replace(target)

    def publish(self, path: str, body: bytes) -> None:
        """Write a whole file that must not exist; readers never see a part of it. Raises FileExistsError."""
        address = self._address(path)
        if address.kind == FILE:
            _publish(Path(address.path), body)
            return
        store = self._store(address)
        if isinstance(store, HdfsFiles):
            store.publish(address.path, body)
            return
        output = store.create(address.path)
        output.write(memoryview(body))
        output.finish()

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError if there is none, and `NotEligible` for one behind a link."""
        address = self._address(path)
        if self.places.is_behind_link(path):
            raise behind_a_link(path)
        self._files(address).delete(address.path)

    def folders(self, folder: str) -> Sequence[str]:
        """Return the names of the folders directly in a folder; none if it is missing."""
        address = self._address(folder)
        if address.kind == FILE:
            return _entries(address.path, folders=True)
        return _names(self._store(address).folders(address.path))

    def _address(self, path: str) -> Address:
        if not self.places.contains(path):
            raise NotEligible(f"{OUTSIDE_FILES}: {path[:300]!r} is not below {self.places}")
        try:
            return address_of(path)
        except Refused as error:
            raise NotEligible(str(error)) from error

    def _files(self, address: Address) -> Files:
        try:
            return files_of(address.kind, address.place, self.properties)
        except Refused as error:
            raise NotEligible(str(error)) from error

    def _store(self, address: Address) -> WholeFiles:
        try:
            found = whole_files_of(address.kind, address.place, self.properties, is_patient=True)
        except Refused as error:
            raise NotEligible(str(error)) from error
        if found is None:
            raise NotEligible(f"{address.kind}://{address.place}: the catalog's properties can't reach this store")
        return found


def behind_a_link(path: str) -> NotEligible:
    """Return the refusal to delete a file in a folder that is a link."""
    return NotEligible(
        f"{path[:300]!r} is in a folder that is a link, which may lead to files of another table: it is not deleted; "
        "replace the link by a folder"
    )


def _publish(target: Path, body: bytes) -> None:
    part = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
    part.write_bytes(body)
    try:
        target.hardlink_to(part)  # a rename would replace a file
    finally:
        part.unlink()


def _entries(folder: str, *, folders: bool) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted(each.name for each in found if each.is_dir() is folders)
    except FileNotFoundError:
        return []


def _names(paths: Iterable[str]) -> list[str]:
    return sorted(path.rstrip("/").rpartition("/")[2] for path in paths)
