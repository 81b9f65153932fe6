"""File access of tables: selects the properties that configure it and checks every path.

Table metadata is untrusted. No table property configures file access, so that a table can't set an endpoint, a proxy, a
role or a class. The properties are the catalog's own, and those in a REST catalog's responses that `vended` accepts.
Every path from metadata is checked when it is opened, written or deleted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pyiceberg.io import InputFile, OutputFile

from engine.domain.errors import NotEligible
from engine.formats.iceberg.catalog.file_systems import SharedFileIO
from engine.formats.intake.errors import printable
from engine.rewriting.kernel.errors import OUTSIDE_FILES
from engine.rewriting.kernel.storage.places import Places
from engine.rewriting.kernel.storage.stores.addresses import has_empty_part

_STORAGE: Final = ("s3.", "client.", "gcs.", "adls.", "hdfs.", "oss.")
_CODE: Final = re.compile(r"py-.*|(?:s3|client|gcs|adls|hdfs|oss)\..*impl")
_REGION: Final = re.compile(r"[a-z0-9-]{1,64}")
_REGIONS: Final = ("s3.region", "client.region")
_LONGEST_SHOWN: Final = 300

_CREDENTIALS: Final[Mapping[str, re.Pattern[str]]] = {
    "s3": re.compile(
        r"(?:s3|client)\.(?:access-key-id|secret-access-key|session-token)|s3\.session-token-expires-at-ms"
    ),
    "gcs": re.compile(r"gcs\.oauth2\.token(?:-expires-at)?"),
    "adls": re.compile(r"adls\.(?:token|sas-token|sas-token(?:-expires-at-ms)?\.[a-z0-9.-]{1,253})"),
}
"""Credentials that a REST catalog may vend for a store. They replace all of the catalog's own for that store."""

_IDENTITIES: Final[Mapping[str, tuple[str, ...]]] = {
    "s3": ("s3.role-", "client.role-", "s3.anonymous"),
    "gcs": ("gcs.no-auth",),
    "adls": (
        "adls.account-key",
        "adls.auth.",
        "adls.connection-string",
        "adls.client-",
        "adls.tenant-id",
        "adls.anon",
    ),
}
"""What the names of other properties begin with by which a catalog identifies itself to a store."""

_ADDRESSES: Final[Mapping[str, frozenset[str]]] = {
    "s3": frozenset({"s3.endpoint", "s3.force-virtual-addressing"}),
    "gcs": frozenset({"gcs.service.host"}),
    "adls": frozenset({"adls.account-name", "adls.blob-storage-authority", "adls.dfs-storage-authority"}),
}
"""Addresses that a REST catalog may set together with credentials for the store, if the catalog's own set none."""


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


def vended(answer: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of file access, including those that a REST catalog vends for one table.

    Credentials replace the catalog's own for the store. An address (endpoint, host, account) is accepted only together
    with credentials for the same store and if the catalog's own properties set none, so that the catalog's own
    credentials are never sent to an address chosen by the server. A region is accepted if it is a plain name.

    Args:
        answer: `config` of the response, with the `storage-credentials` that match the table.
        own: the properties returned by `own_properties`.
    """
    found = dict(own)
    given = {name: str(value) for name, value in answer.items() if value is not None}
    for store, credentials in _CREDENTIALS.items():
        new = {name: value for name, value in given.items() if credentials.fullmatch(name)}
        if not new:
            continue
        found = {name: value for name, value in found.items() if not _is_credential(name, store)}
        found |= new
        found |= {name: given[name] for name in _ADDRESSES[store] & given.keys() if name not in own}
    regions = {name: given[name] for name in _REGIONS if _REGION.fullmatch(given.get(name, ""))}
    return {**found, **regions}


def vended_addresses(properties: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses in file access properties that are not the catalog's own, each as a URI."""
    names = frozenset().union(*_ADDRESSES.values())
    return {
        name: value if "://" in value else f"https://{value}"
        for name, value in properties.items()
        if name in names and name not in own
    }


def signs_remotely(answer: Mapping[str, Any]) -> bool:
    """Return whether a REST catalog signs requests to the store itself, and vends no credentials for it."""
    is_asked_for = str(answer.get("s3.remote-signing-enabled", "")).lower() == "true" or bool(answer.get("s3.signer"))
    return is_asked_for and not any(_CREDENTIALS["s3"].fullmatch(name) for name in answer)


def _is_credential(name: str, store: str) -> bool:
    """Return whether a catalog property identifies it to a store; vended credentials replace all of these."""
    return _CREDENTIALS[store].fullmatch(name) is not None or name.startswith(_IDENTITIES[store])


class GuardedFileIO(SharedFileIO):
    """Arrow storage for the files of one table, which opens, writes and deletes files only below `places`.

    `properties` are those of `own_properties` or `vended`; the file system of a Spark task is created from them.
    """

    def __init__(self, properties: Mapping[str, str], *, places: Places) -> None:
        super().__init__(dict(properties))
        self.places = places

    def check(self, path: str) -> None:
        """Raise `NotEligible` for a path outside of the table's places, or one that clients read differently."""
        if has_empty_part(path):
            raise NotEligible(
                f"{printable(path[:_LONGEST_SHOWN])}: the location has an empty part ('//'), which some clients of "
                "object stores leave out: create the table again at a location without it"
            )
        if not self.places.cover(path):
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
        """Delete a file. Raises as `check`."""
        self.check(location if isinstance(location, str) else location.location)
        super().delete(location)

    def files(self, location: str, *, is_recursive: bool) -> Sequence[str]:
        """Return the paths of all files below a location. Raises as `check`."""
        self.check(location)
        return super().files(location, is_recursive=is_recursive)


def outside(paths: Iterable[str], places: Places) -> NotEligible:
    """Return the error for files outside of a table's places; paths and location are untrusted text of the table."""
    named = ", ".join(printable(each[:_LONGEST_SHOWN]) for each in paths)
    folders = printable(str(places)[:_LONGEST_SHOWN])
    return NotEligible(f"{OUTSIDE_FILES}: {named} is not below {folders}; {REMEDY}")


REMEDY: Final = (
    "move the file below the table's location, or set outside_files: allowed_locations on the catalog, which lets its "
    "tables name files anywhere below its allowed_locations"
)
