"""AWS Glue as the catalog of Hive-style tables.

Glue has no conditional change of a partition, and partitions have no version: a change is sent at once after the entry
was read again and compared, once and never repeated, and the entry is read back. Another client's change within that
time, of two requests, is lost, as in a Hive Metastore.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from threading import Lock
from typing import Any, Final

from hive_metastore.ttypes import Partition, Table

from engine.aws.sessions import TRIES, AwsSession
from engine.domain.errors import Away, NotFound, StateConflict
from engine.domain.values.uris import masked
from engine.formats.hive.catalog.glue_entries import Entry, partition_of, table_of
from engine.formats.hive.catalog.roles import MOST_PARTITIONS, Databases, NotChanged, Unanswered
from engine.formats.intake.catalogs.glue.properties import CATALOG_ID, ENDPOINT
from engine.formats.intake.catalogs.glue.requests import (
    BY_TABLE,
    SERVICE,
    LostAnswer,
    NoEntity,
    ask,
    ask_once,
    client_of,
    pages,
    part_of,
)
from engine.formats.intake.limits import Malformed, Unsupported
from engine.outgoing.bounds import CheckPeer, any_peer

_PAGE: Final = 1000
"""Most partitions of a page, a limit of Glue."""

_WRITABLE: Final = ("Values", "LastAccessTime", "StorageDescriptor", "Parameters", "LastAnalyzedTime")
"""Parts of an entry that `UpdatePartition` takes; Glue sets the others itself."""

_THROTTLED_PAUSES: Final = (0.5, 1.0, 2.0)
"""Seconds before a change is sent again that Glue refused for its rate: it was not carried out."""

_LOOK_PAUSES: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each look at an entry after its change."""

_OF_CHECK: Final = "packhouse_check_of_rights"
_SHOWN: Final = 200


class GlueCatalog:
    """Glue as `roles.HiveCatalog`; requests have limits and reach only allowed servers. Thread-safe.

    Its methods raise `StateConflict` if AWS refuses credentials or the request, and `Away` if Glue does not answer.
    """

    label = "Glue"

    def __init__(
        self, properties: Mapping[str, str], files: Mapping[str, str], check_peer: CheckPeer = any_peer
    ) -> None:
        self._properties, self._files, self._check_peer = properties, files, check_peer
        self._clients: dict[int, Any] = {}
        self._lock = Lock()

    @cached_property
    def _session(self) -> AwsSession:
        return AwsSession(self._properties, service=SERVICE)

    @property
    def address(self) -> str:
        """The region or endpoint, with the account if one is given."""
        where = masked(self._properties.get(ENDPOINT) or "") or f"region {self._session.region()}"
        account = self._properties.get(CATALOG_ID)
        return f"Glue, {where}" + (f", catalog {account}" if account else "")

    def storage(self) -> Mapping[str, str]:
        """Return the properties of file access, with the credentials of the catalog's profile or role."""
        return self._session.storage(self._files)

    def databases(self) -> Databases:
        """Return the names of the databases; links and federated ones apart."""
        try:
            listed = pages(self._client().get_databases, "DatabaseList")
            found = {str(each.get("Name", "")): _leads_away(each) for each in listed}
        except NoEntity as error:
            raise StateConflict(f"Glue has no such catalog: {error}; correct {CATALOG_ID}") from error
        names = sorted(found)
        return Databases([each for each in names if not found[each]], [each for each in names if found[each]])

    def tables(self, database: str) -> Iterator[Table]:
        """Yield the tables of a database, also those that only lead to another one."""
        with suppress(NoEntity):  # it was dropped
            yield from map(table_of, pages(self._client().get_tables, "TableList", DatabaseName=database))

    def table(self, database: str, name: str) -> Table | None:
        """Return a table, None if there is none; raises `Unsupported` for links, and for federated databases."""
        try:
            holder = part_of(ask(self._client().get_database, Name=database), "Database")
            entry = part_of(ask(self._client().get_table, DatabaseName=database, Name=name), "Table")
        except NoEntity:
            return None
        if target := _target(holder, entry, database, name):
            raise Unsupported(
                f"it is a link to {target}: register the table itself, in a catalog whose {CATALOG_ID} is its account"
            )
        if holder.get("FederatedDatabase"):
            raise Unsupported("its database is federated: Glue only passes on the entries of another metastore")
        return table_of(entry)

    def partitions(self, database: str, name: str, columns: int = 0) -> Iterator[Partition]:  # noqa: ARG002
        """Yield the partitions of a table, without their columns."""
        found = pages(
            self._client().get_partitions,
            "Partitions",
            at_once=_PAGE,
            most=MOST_PARTITIONS + _PAGE,
            DatabaseName=database,
            TableName=name,
            ExcludeColumnSchema=True,
        )
        try:
            for count, each in enumerate(found, start=1):
                if count > MOST_PARTITIONS:
                    raise Malformed(f"it has more than {MOST_PARTITIONS} partitions, the limit")
                yield partition_of(each)
        except NoEntity as error:
            raise NotFound(f"table {database}.{name} was dropped: {error}") from error

    def partition(self, database: str, name: str, values: Sequence[str]) -> Partition | None:
        """Return one partition by the texts of its keys, None if there is none."""
        entry = self._entry(database, name, values)
        return None if entry is None else partition_of(entry)

    def change_partition(self, database: str, name: str, changed: Partition, before: Partition) -> None:
        """Give a partition another location and other parameters, unless it is not the one of before.

        Raises:
            NotChanged: it was dropped or changed before the request was sent.
            Unanswered: the change may still happen.
            StateConflict, Away: it certainly did not and will not happen.
        """
        lost = self._send(database, name, changed, before)
        for pause in _LOOK_PAUSES:
            time.sleep(pause)
            present = self._seen(database, name, before.values)
            if present is not None and _is_in_place(present, changed):
                return
            if lost is None and (present is None or not _is_in_place(present, before)):
                return  # another client has dropped or changed it since
        raise Unanswered(lost or "Glue took the change, and still shows the old entry")

    def _send(self, database: str, name: str, changed: Partition, before: Partition) -> str | None:
        """Send a change; return None, or why it has no answer."""
        for pause in (*_THROTTLED_PAUSES, None):
            entry = self._entry(database, name, before.values)
            if entry is None or partition_of(entry) != before:
                raise NotChanged
            wanted = {part: entry[part] for part in _WRITABLE if part in entry}
            wanted["StorageDescriptor"] = {**entry["StorageDescriptor"], "Location": changed.sd.location}
            wanted["Parameters"] = dict(changed.parameters)
            try:
                self._update(database, name, before.values, wanted)
            except NoEntity as error:
                raise NotChanged from error
            except LostAnswer as error:
                return str(error)
            except Away:
                if pause is None:
                    raise
                time.sleep(pause)
            else:
                return None
        raise AssertionError("the last try returns or raises")

    def check_changes(self, database: str) -> str:
        """Check the right with a change of a table that does not exist: AWS looks at rights first."""
        try:
            self._update(database, _OF_CHECK, ["0"], {"Values": ["0"]})
        except NoEntity:
            pass
        except LostAnswer as error:
            raise StateConflict(f"no answer to a change of a table that does not exist: {error}") from error
        except StateConflict as error:
            if BY_TABLE not in error.message:
                raise
            return f"{BY_TABLE} decides for each table of {database}: whether they may be changed is not known before"
        return f"the credentials may change partitions in {database}"

    def _update(self, database: str, name: str, values: Sequence[str], wanted: Mapping[str, Any]) -> None:
        ask_once(
            self._client(tries=1).update_partition,
            DatabaseName=database, TableName=name, PartitionValueList=list(values), PartitionInput=wanted,
        )  # fmt: skip

    def _seen(self, database: str, name: str, values: Sequence[str]) -> Partition | None:
        """Return a partition after a request that may have changed it; an error of this look leaves that open."""
        try:
            return self.partition(database, name, values)
        except (Away, StateConflict) as error:
            raise Unanswered(f"its outcome can't be read: {error.message}") from error

    def _entry(self, database: str, name: str, values: Sequence[str]) -> Entry | None:
        address = {"DatabaseName": database, "TableName": name, "PartitionValues": list(values)}
        try:
            found: Entry = part_of(ask(self._client().get_partition, **address), "Partition")
        except NoEntity:
            return None
        return found

    def _client(self, tries: int = TRIES) -> Any:
        """Return the client that sends a request at most this number of times, made at its first use."""
        with self._lock:
            if tries not in self._clients:
                made = client_of(self._session, self._properties, check_peer=self._check_peer, tries=tries)
                self._clients[tries] = made
            return self._clients[tries]


def _is_in_place(present: Partition, wanted: Partition) -> bool:
    """Return whether a partition has the location and the parameters of an entry."""
    found = None if present.sd is None else present.sd.location
    return bool(found == wanted.sd.location and present.parameters == wanted.parameters)


def _leads_away(database: Entry) -> bool:
    return bool(database.get("TargetDatabase") or database.get("FederatedDatabase"))


def _target(holder: Entry, entry: Entry, database: str, name: str) -> str:
    """Return the address that a link leads to, empty if the table is none.

    Glue follows links for clients that may read the target: then the entries have the target's names.
    """
    link = holder.get("TargetDatabase") or entry.get("TargetTable")
    if link:
        return ".".join(map(str, link.values()))[:_SHOWN]
    found = str(holder.get("Name")), str(entry.get("DatabaseName") or database), str(entry.get("Name"))
    asked = (database, database, name)
    return "" if [each.lower() for each in found] == [each.lower() for each in asked] else ".".join(found[1:])[:_SHOWN]
