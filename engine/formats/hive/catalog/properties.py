"""Properties of catalogs of Hive-style tables: a Hive Metastore, or AWS Glue."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogType
from engine.formats.base import PLAIN_OF_STORES, STORE_PREFIXES, PlainProperties, problems_of_type
from engine.formats.intake.catalogs.glue.properties import (
    GLUE_PROPERTIES,
    OF_GLUE,
    PLAIN_OF_AWS,
    REGIONS,
    SKIP_ARCHIVE,
    problems_of_aws,
)
from engine.formats.intake.catalogs.metastores.properties import ACCESS_PROPERTIES, PLAIN_OF_ACCESS, problems_of_access
from engine.formats.intake.parameters import MEANINGLESS

METASTORE: Final = "metastore"
GLUE: Final = "glue"

PLAIN: Final = PlainProperties(PLAIN_OF_STORES | PLAIN_OF_ACCESS | PLAIN_OF_AWS | {"type", MEANINGLESS})
TYPES: Final = (
    CatalogType(METASTORE, "Hive Metastore", ACCESS_PROPERTIES),
    CatalogType(GLUE, "AWS Glue", GLUE_PROPERTIES),
)
_OWN: Final = {
    METASTORE: tuple(each.name for each in ACCESS_PROPERTIES),
    GLUE: tuple(each for each in OF_GLUE if each != SKIP_ARCHIVE),
}


def problems_of(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property."""
    yield from problems_of_type(properties, TYPES)
    kind = properties.get("type")
    yield from problems_of_aws(properties, forms=REGIONS) if kind == GLUE else problems_of_access(properties)
    own = _OWN.get(kind or "", _OWN[METASTORE])
    names = ("type", *own, MEANINGLESS)
    for name, value in properties.items():
        if name not in names and not name.startswith(STORE_PREFIXES):
            hint = f"use {', '.join(names)} and names that begin with {', '.join(STORE_PREFIXES)}"
            yield FieldProblem(f"/properties/{name}", "is not a property of this kind of catalog", None, hint)
        elif not value and name not in names:
            yield FieldProblem(f"/properties/{name}", "is empty", value, "give a value or leave the property out")
