"""Properties of Paimon catalogs, by type."""

from collections.abc import Iterator, Mapping
from typing import Final
from zoneinfo import ZoneInfo

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogProperty, CatalogType
from engine.domain.values.uris import masked
from engine.formats.base import PLAIN_OF_STORES, STORE_PREFIXES, PlainProperties, problems_of_type
from engine.formats.intake.catalogs.metastores.properties import (
    ACCESS_PROPERTIES,
    PLAIN_OF_ACCESS,
    problems_of_access,
)
from engine.formats.intake.parameters import MEANINGLESS
from engine.formats.paimon.catalog.rest.properties import (
    PLAIN_OF_SERVER,
    SERVER_PROPERTIES,
    URI,
    problems_of_server,
)

FILESYSTEM: Final = "filesystem"
JDBC: Final = "jdbc"
REST: Final = "rest"
HIVE: Final = "hive"

WAREHOUSE: Final = "warehouse"
CATALOG_KEY: Final = "catalog-key"
USER: Final = "jdbc.user"
PASSWORD: Final = "jdbc.password"  # noqa: S105 - the name of a property
LOCK_ENABLED: Final = "lock.enabled"
LOCK_TYPE: Final = "lock.type"
IN_PARAMETERS: Final = "location-in-properties"
LOCK_TIME_ZONE: Final = "packhouse.lock-time-zone"

PLAIN: Final = PlainProperties(
    PLAIN_OF_STORES
    | PLAIN_OF_ACCESS
    | {"type", WAREHOUSE, MEANINGLESS, URI, CATALOG_KEY, USER, LOCK_ENABLED, LOCK_TYPE, LOCK_TIME_ZONE, IN_PARAMETERS}
    | PLAIN_OF_SERVER
)
_WAREHOUSE: Final = CatalogProperty(
    WAREHOUSE, "Folder of the databases, such as s3://lake/warehouse.", is_required=True
)
TYPES: Final = (
    CatalogType(FILESYSTEM, "File system", (_WAREHOUSE,)),
    CatalogType(
        JDBC,
        "JDBC",
        (
            CatalogProperty(URI, "Address of the database, without jdbc: postgresql://…, mysql://…", is_required=True),
            _WAREHOUSE,
            CatalogProperty(USER, "User of the database."),
            CatalogProperty(PASSWORD, "Password of the user.", is_secret=True, example="env:LAKE_CATALOG_PASSWORD"),
            CatalogProperty(CATALOG_KEY, "Key of the catalog in the database, as its writers have it; default jdbc."),
            CatalogProperty(LOCK_ENABLED, "Whether writers take locks in the database."),
            CatalogProperty(LOCK_TIME_ZONE, "Time zone of the writers, in which their locks expire."),
        ),
    ),
    CatalogType(
        REST,
        "REST",
        SERVER_PROPERTIES,
    ),
    CatalogType(
        HIVE,
        "Hive Metastore",
        (
            *ACCESS_PROPERTIES,
            CatalogProperty(WAREHOUSE, "Folder of the warehouse, by whose store writers take locks or not."),
            CatalogProperty(LOCK_ENABLED, "Whether writers take locks in the Metastore; default by the warehouse."),
            CatalogProperty(LOCK_TYPE, "Kind of the locks: hive, those of the Metastore."),
            CatalogProperty(IN_PARAMETERS, "true: entries state their location as the parameter paimon_location."),
        ),
    ),
)
"""Types of Paimon catalogs with every property that each takes."""
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    each.type: ("type", *(one.name for one in each.properties), MEANINGLESS) for each in TYPES if each.reason is None
}
_SCHEMES: Final = ("sqlite:///", "postgresql://", "postgresql+psycopg://", "mysql://", "mysql+pymysql://", "mariadb://")
_REFERENCES: Final = ("env:", "file:")
_OSS: Final = "leave it out: files in OSS are not read"
_SITE: Final = "leave it out: in place of a hive-site.xml give `uri` and the properties of TLS and Kerberos"
_REASONS: Final[Mapping[str, str]] = {
    "hive-conf-dir": _SITE,
    "hadoop-conf-dir": "leave it out: HDFS is configured for the processes, by HADOOP_CONF_DIR",
    "metastore.client.class": "leave it out: the server has to be a Hive Metastore",
    "format-table.enabled": "leave it out: format tables are not listed",
    "metastore": "give the type of the catalog as the property type",
    "dlf.token-ecs-metadata-url": "leave it out: the instance is asked at the address that ECS has for it",
    "dlf.oss-endpoint": _OSS,
    "io-cache.enabled": _OSS,
}


def problems_of(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property."""
    kind = properties.get("type", "")
    yield from problems_of_type(properties, TYPES)
    if not properties.get(WAREHOUSE) and (kind != HIVE or WAREHOUSE in properties):
        hint = "give the folder of the databases, such as s3://lake/warehouse; for a REST catalog its name"
        yield FieldProblem("/properties/warehouse", "is missing", None, hint)
    known = _NAMES.get(kind, _NAMES[FILESYSTEM])
    for name, value in properties.items():
        if name not in known and not name.startswith(STORE_PREFIXES):
            hint = _REASONS.get(name) or f"use {', '.join(known)} and names that begin with {', '.join(STORE_PREFIXES)}"
            yield FieldProblem(f"/properties/{name}", "is not a property of this kind of catalog", None, hint)
        elif not value and name not in (WAREHOUSE, MEANINGLESS):
            yield FieldProblem(f"/properties/{name}", "is empty", value, "give a value or leave the property out")
    of_type = {JDBC: _problems_of_database, REST: problems_of_server, HIVE: problems_of_access}
    if kind in of_type:
        yield from of_type[kind](properties)
    yield from _problems_of_switches(properties)


def _problems_of_switches(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    if properties.get(LOCK_TYPE, HIVE) != HIVE:
        hint = f"use {HIVE}, the locks of the Metastore, or leave it out"
        yield FieldProblem(f"/properties/{LOCK_TYPE}", "is not supported", properties[LOCK_TYPE], hint)
    for name in (LOCK_ENABLED, IN_PARAMETERS):
        if properties.get(name, "true") not in ("true", "false"):
            hint = "use true or false, or leave it out"
            yield FieldProblem(f"/properties/{name}", "is not a truth value", properties[name], hint)


def _problems_of_database(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    uri = properties.get(URI)
    if uri is None:
        yield FieldProblem("/properties/uri", "is missing", None, "give the address of the database: postgresql://…")
    elif uri and not uri.startswith((*_SCHEMES, *_REFERENCES)):
        hint = f"begin it with one of {', '.join(_SCHEMES)}, without jdbc:"
        yield FieldProblem("/properties/uri", "is not an address of a database", masked(uri), hint)
    zone = properties.get(LOCK_TIME_ZONE)
    if zone and not _is_zone(zone):
        hint = "use a name such as UTC or Asia/Shanghai"
        yield FieldProblem(f"/properties/{LOCK_TIME_ZONE}", "is not a time zone", zone, hint)


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return False
    return True
