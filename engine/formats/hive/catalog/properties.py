"""Properties of catalogs in a Hive Metastore."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogType, unserved_type
from engine.formats.base import PLAIN_OF_STORES, STORE_PREFIXES, PlainProperties, problems_of_type
from engine.formats.intake.catalogs.metastores.properties import ACCESS_PROPERTIES, PLAIN_OF_ACCESS, problems_of_access
from engine.formats.intake.parameters import MEANINGLESS

METASTORE: Final = "metastore"

PLAIN: Final = PlainProperties(PLAIN_OF_STORES | PLAIN_OF_ACCESS | {"type", MEANINGLESS})
TYPES: Final = (
    CatalogType(
        METASTORE,
        "Hive Metastore",
        ACCESS_PROPERTIES,
    ),
    unserved_type("glue", "AWS Glue"),
)
_NAMES: Final = ("type", *(each.name for each in TYPES[0].properties), MEANINGLESS)


def problems_of(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property."""
    yield from problems_of_type(properties, TYPES)
    yield from problems_of_access(properties)
    for name, value in properties.items():
        if name not in _NAMES and not name.startswith(STORE_PREFIXES):
            hint = f"use {', '.join(_NAMES)} and names that begin with {', '.join(STORE_PREFIXES)}"
            yield FieldProblem(f"/properties/{name}", "is not a property of this kind of catalog", None, hint)
        elif not value and name not in _NAMES:
            yield FieldProblem(f"/properties/{name}", "is empty", value, "give a value or leave the property out")
