"""Properties of catalogs with the addresses of a Hive Metastore and with how it is accessed.

Their names are those of PyIceberg's catalogs of type `hive`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogProperty
from engine.domain.values.uris import masked

URI: Final = "uri"
UGI: Final = "ugi"

ACCESS_PROPERTIES: Final = (
    CatalogProperty(
        URI, "Addresses of the Metastore: thrift://host:9083, with commas between several.", is_required=True
    ),
    CatalogProperty(UGI, "User that calls are made for, and its groups: user:group,group. Not with Kerberos."),
)
PLAIN_OF_ACCESS: Final = frozenset({URI, UGI})
"""Those of them whose values are not secrets."""

_REFERENCES: Final = ("env:", "file:")
_ADDRESS: Final = re.compile(r"thrift://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}/?")
_LARGEST_PORT: Final = 65_535
_ADDRESS_HINT: Final = "write thrift://host:9083; several addresses of one Metastore are separated by commas"
_NAME: Final = r"[A-Za-z0-9._@/$-]{1,256}"
_USER: Final = re.compile(rf"{_NAME}(?::{_NAME}(?:,{_NAME})*)?")
_USER_HINT: Final = "write user, or user:group,group"


@dataclass(frozen=True, slots=True)
class Access:
    """How a Metastore is accessed: for a user with groups, who is stated and not proved; None: nothing is stated."""

    user: str | None = None
    groups: tuple[str, ...] = ()


OPEN: Final = Access()
"""Nothing is stated or proved."""


def problems_of_access(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property; references to secrets are taken for right."""
    uri = properties.get(URI)
    if not uri:
        yield FieldProblem("/properties/uri", "is missing", uri, _ADDRESS_HINT)
    elif not uri.startswith(_REFERENCES) and not _are_addresses(uri):
        yield FieldProblem("/properties/uri", "is not an address of a Metastore", masked(uri), _ADDRESS_HINT)
    ugi = properties.get(UGI)
    if ugi is not None and not ugi.startswith(_REFERENCES) and not _USER.fullmatch(ugi):
        yield FieldProblem("/properties/ugi", "is not a user with groups", ugi, _USER_HINT)


def addresses_of(properties: Mapping[str, str]) -> Sequence[tuple[str, int]]:
    """Return host and port of each address in properties that have no problem."""
    parts = [urlsplit(each.strip()) for each in properties[URI].split(",")]
    return [(each.hostname or "", each.port or 0) for each in parts]


def access_of(properties: Mapping[str, str]) -> Access:
    """Return how the Metastore of properties is accessed that have no problem."""
    user, _, groups = properties.get(UGI, "").partition(":")
    return Access(user or None, tuple(filter(None, groups.split(","))))


def _are_addresses(uri: str) -> bool:
    found = [each.strip() for each in uri.split(",")]
    return all(_ADDRESS.fullmatch(each) and 0 < _port(each) <= _LARGEST_PORT for each in found)


def _port(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])
