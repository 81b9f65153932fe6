"""PyIceberg's catalogs with guards: requests that end and stay with their server, and no code named by properties.

PyIceberg sends REST requests without a time limit, and imports whatever module a table's property `py-io-impl` names.
Table properties are written by others: such names are dropped, storage is always Arrow's.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import requests
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io import FileIO
from pyiceberg.table import Table
from pyiceberg.typedef import EMPTY_DICT, Properties
from requests.adapters import HTTPAdapter

from engine.formats.iceberg.file_systems import SharedFileIO

CONNECT_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 60.0
CATALOG_NAME: Final = "catalog-name"
FILE_IO: Final = f"{SharedFileIO.__module__}.{SharedFileIO.__name__}"


_SQLITE: Final = {"timeout": f"{CONNECT_SECONDS:g}"}
_POSTGRES: Final = {
    "connect_timeout": f"{CONNECT_SECONDS:g}",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": f"{ANSWER_SECONDS * 1000:g}",
}
"""Options of libpq; a server that is reachable and silent is bounded by `services.bulkheads` only."""

CheckLocation = Callable[[str], None]
"""Raises `InvalidInput` for a location that must not be read."""


def anywhere(_location: str) -> None:
    """Let every location be read."""


class GuardedSqlCatalog(SqlCatalog):
    """A SQL catalog whose storage is Arrow's, whatever tables say, and that reads metadata only where it may lie."""

    check_location: CheckLocation = staticmethod(anywhere)

    def _convert_orm_to_iceberg(self, orm_table: Any) -> Table:
        self.check_location(orm_table.metadata_location or "")
        return super()._convert_orm_to_iceberg(orm_table)

    def _load_file_io(self, properties: Properties = EMPTY_DICT, location: str | None = None) -> FileIO:  # noqa: ARG002
        return SharedFileIO(_without_code({**self.properties, **properties}))


class GuardedRestCatalog(RestCatalog):
    """A REST catalog whose requests have time limits and whose storage is Arrow's."""

    def _create_session(self) -> requests.Session:
        session = super()._create_session()
        for scheme in (
            "https://",
            "http://",
        ):  # a mounted signer for the catalog's own address is more specific and stays
            session.mount(scheme, _TimedAdapter())
        session.hooks["response"].append(_stay)
        return session

    def _load_file_io(self, properties: Properties = EMPTY_DICT, location: str | None = None) -> FileIO:
        return super()._load_file_io({**properties, "py-io-impl": FILE_IO}, location)


def _stay(response: requests.Response, **_options: Any) -> None:
    """Follow no redirect to another server: only the catalog's own address was checked, and credentials are for it."""
    if not response.is_redirect:
        return
    target = urljoin(response.url, response.headers["location"])
    if urlsplit(target)[:2] != urlsplit(response.url)[:2]:
        response.close()
        raise requests.RequestException("the catalog redirects to another server, which is not followed")


class _TimedAdapter(HTTPAdapter):
    """Sends with a time limit and never twice: a commit sent again would be answered "failed" after a success."""

    def __init__(self) -> None:
        super().__init__(max_retries=0)

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # type: ignore[override]
        options["timeout"] = options.get("timeout") or (CONNECT_SECONDS, ANSWER_SECONDS)
        return super().send(request, **options)


def load(name: str, properties: Mapping[str, str], *, check_location: CheckLocation = anywhere) -> Catalog:
    """Open a catalog; may block on it. `properties` were validated and have their secrets resolved.

    `check_location` is asked before metadata is read where a SQL catalog says that it lies; a REST catalog sends it.
    """
    own = {key: value for key, value in properties.items() if key not in {CATALOG_NAME, "type"}}
    name = properties.get(CATALOG_NAME, name)
    own.setdefault("s3.connect-timeout", str(CONNECT_SECONDS))
    own.setdefault("s3.request-timeout", str(ANSWER_SECONDS))
    if properties["type"] == "rest":
        return GuardedRestCatalog(name, **own)
    # never make tables in somebody's database
    catalog = GuardedSqlCatalog(
        name, **{"init_catalog_tables": "false", **own, "py-io-impl": FILE_IO, "uri": with_time_limit(own["uri"])}
    )
    catalog.check_location = check_location
    # made while the database is away it guesses the version of its schema: ask once, so that such a one is not kept
    catalog.list_namespaces()
    return catalog


def with_time_limit(uri: str) -> str:
    """Return a database address with limits: for connecting and dead peers (Postgres), for a lock (SQLite)."""
    parts = urlsplit(uri)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    for option, value in (_SQLITE if parts.scheme.startswith("sqlite") else _POSTGRES).items():
        query.setdefault(option, value)
    # urlunsplit would shorten the slashes of sqlite:////path
    return f"{uri.partition('?')[0]}?{urlencode(query)}"


def _without_code(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in properties.items() if not key.startswith("py-")}
