"""Properties of catalogs in a Hive Metastore."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogProperty, CatalogType, unserved_type
from engine.domain.values.uris import masked
from engine.formats.base import PLAIN_OF_STORES, STORE_PREFIXES, PlainProperties, problems_of_type
from engine.formats.intake.parameters import MEANINGLESS

METASTORE: Final = "metastore"
URI: Final = "uri"

PLAIN: Final = PlainProperties(PLAIN_OF_STORES | {"type", URI, MEANINGLESS})
TYPES: Final = (
    CatalogType(
        METASTORE,
        "Hive Metastore",
        (
            CatalogProperty(
                URI, "Addresses of the Metastore: thrift://host:9083, with commas between several.", is_required=True
            ),
        ),
    ),
    unserved_type("glue", "AWS Glue"),
)
_NAMES: Final = ("type", *(each.name for each in TYPES[0].properties), MEANINGLESS)
_REFERENCES: Final = ("env:", "file:")
_ADDRESS: Final = re.compile(r"thrift://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}/?")
_LARGEST_PORT: Final = 65_535
_HINT: Final = "write thrift://host:9083; several addresses of one Metastore are separated by commas"


def problems_of(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property."""
    yield from problems_of_type(properties, TYPES)
    uri = properties.get(URI)
    if not uri:
        yield FieldProblem("/properties/uri", "is missing", uri, _HINT)
    elif not uri.startswith(_REFERENCES) and not _are_addresses(uri):
        yield FieldProblem("/properties/uri", "is not an address of a Metastore", masked(uri), _HINT)
    for name, value in properties.items():
        if name not in _NAMES and not name.startswith(STORE_PREFIXES):
            hint = f"use {', '.join(_NAMES)} and names that begin with {', '.join(STORE_PREFIXES)}"
            yield FieldProblem(f"/properties/{name}", "is not a property of this kind of catalog", None, hint)
        elif not value and name not in _NAMES:
            yield FieldProblem(f"/properties/{name}", "is empty", value, "give a value or leave the property out")


def addresses_of(uri: str) -> Sequence[tuple[str, int]]:
    """Return host and port of each address in a `uri` that has no problem."""
    parts = [urlsplit(each.strip()) for each in uri.split(",")]
    return [(each.hostname or "", each.port or 0) for each in parts]


def _are_addresses(uri: str) -> bool:
    found = [each.strip() for each in uri.split(",")]
    return all(_ADDRESS.fullmatch(each) and 0 < _port(each) <= _LARGEST_PORT for each in found)


def _port(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])
