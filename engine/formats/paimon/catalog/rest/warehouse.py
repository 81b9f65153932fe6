"""Databases and tables of a REST catalog: lists by pages, and tables by name.

Of the server's configuration only `prefix` is used: neither addresses nor tokens nor properties of stores, by which it
could lead Packhouse to other hosts, or to tables of others with Packhouse's own rights.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import quote

from engine.domain.errors import Away, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.tables.table import TableRef
from engine.formats.base import IsWanted, TableListing
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.catalog.rest.client import NoSuch, NotAllowed, RestClient
from engine.formats.paimon.catalog.rest.pages import LIST_SECONDS, names_of
from engine.formats.paimon.catalog.rest.tables import RestTable, table_of
from engine.formats.paimon.catalog.warehouse import is_folder

_LONGEST_NAME: Final = 1000


class RestWarehouse:
    """The tables of one catalog. Thread-safe; nothing is sent by the constructor.

    Names that no folder can have are left out, and those with `$`, by which Paimon names branches and system tables.
    """

    def __init__(self, client: RestClient, name: str) -> None:
        self._client = client
        self._name = name
        self._base: str | None = None

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order.

        Raises:
            StateConflict: there are more than `pages.MOST_NAMES`, or the server is not a REST catalog of Paimon.
            Away, Transient: it does not answer, or not in time.
        """
        with _of_catalog("list the databases"):
            found = [name for name in names_of(self._client, self._root(), "databases") if is_plain(name)]
        return sorted(set(found))

    def tables(self, limit: int, is_wanted: IsWanted) -> TableListing:
        """Return the addresses of the tables in the accepted databases, ordered, at most `limit`. Raises as above."""
        found, until = list[tuple[str, ...]](), time.monotonic() + LIST_SECONDS
        for database in self.databases():
            if not is_wanted([database]):
                continue
            with _of_catalog("list the tables"):
                try:
                    names = set(names_of(self._client, self._of_database(database), "tables", until=until))
                except (NoSuch, NotAllowed):  # dropped since, or of other users
                    continue
            found += ((database, name) for name in sorted(filter(is_plain, names)))
            if len(found) > limit:
                break
        return TableListing(tuple(found[:limit]), len(found) > limit)

    def table(self, ref: TableRef) -> RestTable | None:
        """Return a table, None if there is none. Raises as `tables.table_of`."""
        if len(ref.namespace) != 1 or not is_plain(ref.name) or not is_plain(ref.namespace[0]):
            return None
        try:
            return table_of(self._client, f"{self._of_database(ref.namespace[0])}/{quote(ref.name, safe='')}")
        except NoSuch as error:
            if error.is_of_table:
                return None
            self._base = None  # the server may have another prefix now
            raise Away(DependencyKind.CATALOG, error.message) from error

    def _of_database(self, name: str) -> str:
        return f"{self._root()}/{quote(name, safe='')}/tables"

    def _root(self) -> str:
        """Return the path of all databases; the server is asked for its prefix once."""
        if self._base is None:  # several threads may ask at once; none waits for another
            with _of_catalog("read the configuration"):
                answer = self._client.get("/v1/config", {"warehouse": self._name})
                prefix = _prefix(answer.optional("defaults"), answer.optional("overrides"))
            self._base = f"/v1{prefix}/databases"
        return self._base


def is_plain(name: str) -> bool:
    """Return whether a name can be that of a database or a table."""
    return is_folder(name) and "$" not in name and len(name) <= _LONGEST_NAME


def _prefix(defaults: Any, overrides: Any) -> str:
    found: Any = ""
    for each in (defaults, overrides):
        if isinstance(each, Mapping):
            found = each.get("prefix") or found
    if not isinstance(found, str) or found in (".", "..") or not found.isprintable() or len(found) > _LONGEST_NAME:
        raise Malformed("its prefix can't be that of a path")
    return f"/{quote(found, safe='')}" if found else ""


@contextmanager
def _of_catalog(doing: str) -> Iterator[None]:
    """Translate an answer that can't be read: it concerns the whole catalog."""
    try:
        yield
    except Malformed as error:
        raise StateConflict(
            f"Could not {doing} of the catalog: its answer is not that of Paimon's REST catalog: {error}; check `uri`"
        ) from error
    except NoSuch as error:
        raise StateConflict(
            f"Could not {doing} of the catalog: {error.message}; check `uri` and `warehouse`"
        ) from error
