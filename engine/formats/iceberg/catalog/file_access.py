"""File access of tables: selects the properties that configure it and checks every path.

Table metadata is untrusted. No table property configures file access, so that a table can't set an endpoint, a proxy, a
role or a class. The properties are the catalog's own, and those that `vended.vended` takes from a REST catalog.
Every path from metadata is checked when it is opened, written or deleted.
"""

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Final

from pyiceberg.io import InputFile, OutputFile

from engine.domain.errors import NotEligible
from engine.formats.iceberg.catalog.file_systems import SharedFileIO
from engine.formats.intake.errors import printable_path
from engine.formats.intake.table_storage import behind_a_link
from engine.rewriting.kernel.errors import OUTSIDE_FILES
from engine.rewriting.kernel.storage.credentials import Credentials, Fetch, RenewedStorage, is_temporary
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import has_empty_part

_STORAGE: Final = ("s3.", "client.", "gcs.", "adls.", "hdfs.", "oss.")
_MOST_KEPT: Final = 256
_CODE: Final = re.compile(r"py-.*|(?:s3|client|gcs|adls|hdfs|oss)\..*impl")


def names_code(name: str) -> bool:
    """Return whether the value of a property is the name of a class to import."""
    return _CODE.fullmatch(name) is not None


def own_properties(catalog: Mapping[str, Any]) -> dict[str, str]:
    """Return the properties of a catalog that configure file access."""
    return {
        name: str(value)
        for name, value in catalog.items()
        if name.startswith(_STORAGE) and not names_code(name) and value is not None
    }


class GuardedFileIO(SharedFileIO):
    """Arrow storage for the files of one table, which opens, writes and deletes files only below `places`.

    `properties` are those of `own_properties` or `vended.vended`; the file system of a Spark task is created from them.
    """

    def __init__(self, properties: Mapping[str, str], *, places: AllowedFolders) -> None:
        super().__init__(properties if isinstance(properties, RenewedStorage) else dict(properties))
        self.places = places

    def check(self, path: str) -> None:
        """Raise `NotEligible` for a path outside of the table's places, or one that clients read differently."""
        if has_empty_part(path):
            raise NotEligible(
                f"{printable_path(path)}: the location has an empty part ('//'), which some clients of "
                "object stores leave out: create the table again at a location without it"
            )
        if not self.places.contains(path):
            raise outside([path], self.places)

    def new_input(self, location: str) -> InputFile:  # type: ignore[override]
        """Return a file to read; nothing is opened yet. Raises as `check`."""
        self.check(location)
        return super().new_input(location)

    def new_output(self, location: str) -> OutputFile:  # type: ignore[override]
        """Return a file to write; nothing is opened yet. Raises as `check`."""
        self.check(location)
        return super().new_output(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Delete a file. Raises as `check`, and `NotEligible` for one behind a link of the local disk."""
        path = location if isinstance(location, str) else location.location
        self.check(path)
        if self.places.is_behind_link(path):
            raise behind_a_link(path)
        super().delete(location)

    def files(self, location: str, *, is_recursive: bool) -> Sequence[str]:
        """Return the paths of all files below a location. Raises as `check`."""
        self.check(location)
        return super().files(location, is_recursive=is_recursive)


class KeptStorage:
    """The properties of file access that were used last; equal temporary credentials share their connections."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, RenewedStorage] = OrderedDict()

    def of(self, key: Hashable, properties: Mapping[str, str], fetch: Fetch) -> Mapping[str, str]:
        """Return properties that can renew their credentials, if these expire; those kept for a key while equal.

        `fetch` returns properties with new ones.
        """
        if not is_temporary(properties):
            return properties
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.credentials.present != properties:
                kept = self._kept[key] = RenewedStorage(Credentials(properties, fetch))
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return kept


def file_io(properties: Mapping[str, str], folders: tuple[str, ...]) -> GuardedFileIO:
    """Return the storage of a table whose files are below these folders."""
    return GuardedFileIO(properties, places=AllowedFolders(folders))


def outside(paths: Iterable[str], places: AllowedFolders) -> NotEligible:
    """Return the error for files outside of a table's places; paths and location are untrusted text of the table."""
    named = ", ".join(printable_path(each) for each in paths)
    folders = printable_path(str(places))
    return NotEligible(f"{OUTSIDE_FILES}: {named} is not below {folders}; {REMEDY}")


REMEDY: Final = (
    "move the file below the table's location, or set outside_files: allowed_locations on the catalog, which lets its "
    "tables name files anywhere below its allowed_locations"
)
