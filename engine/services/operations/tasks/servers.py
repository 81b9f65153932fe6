"""The Spark servers of one process: what sends tasks and calls of each endpoint.

The server of `default` always exists; those of other endpoints are made when an attempt opens them. An endpoint whose
address or token changed gets another server for new attempts; those at work keep theirs.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from engine.domain.errors import InvalidInput, Transient
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.fleet.endpoints import SparkEndpoint
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.services.catalogs.secrets import resolve_secrets
from engine.services.operations.tasks.dispatching import Dispatcher
from engine.services.operations.tasks.executors import Executor
from engine.spark.dispatch import Ticket
from engine.stores.database import Database


class Procedures(Protocol):
    """Calls procedures, blocking; `spark.native.SparkProcedures` in production."""

    def application(self, ticket: Ticket) -> str:
        """Return the Spark application id that is in the summary of its commits."""

    def check_table(self, ticket: Ticket, table: SparkTable, snapshot_id: int) -> None:
        """Raise `NotEligible` unless the table of this name has a snapshot."""

    def refresh(self, ticket: Ticket, table: SparkTable) -> None:
        """Drop Spark's cached metadata of a table."""

    def call(self, ticket: Ticket, asked: ProcedureCall) -> None:
        """Call a procedure and wait for its end."""

    def count_rows(self, ticket: Ticket, table: SparkTable, snapshot_id: int, where: Sequence[PartitionTest]) -> int:
        """Return the rows of a partition in a snapshot, deletes applied."""


class CatalogsInSpark(Protocol):
    """Reads the catalogs of a Spark server, blocking; `spark.catalogs.SparkCatalogs` in production."""

    def classes(self) -> Mapping[str, str]:
        """Return the class of each catalog by its name in Spark."""

    def metadata_files(self, table: SparkTable) -> Sequence[str]:
        """Return the locations of a table's metadata files, the current one first."""


@dataclass(frozen=True, slots=True)
class EndpointServer:
    """One Spark server.

    Attributes:
        dispatcher: sends tasks.
        procedures: calls procedures.
        machine: where its tasks run; run times are compared per machine.
        version: returns its Spark version; blocks, and raises as `SparkSessions.version`.
        executor: runs a task that reports on its executor; blocks, and raises as `ask_executor`.
        catalogs: reads its catalogs; None where tasks run without Spark.
    """

    dispatcher: Dispatcher
    procedures: Procedures
    machine: str
    version: Callable[[], str]
    executor: Callable[[], Executor]
    catalogs: CatalogsInSpark | None = None


MakeServer = Callable[[str, str], EndpointServer]
"""Makes the server of an endpoint's name and URL, without a call to it."""


class EndpointServers:
    """The servers that this process has opened, by endpoint.

    Args:
        default: the server of `PACKHOUSE_SPARK_URL`.
        make: makes the others.
        database: where the endpoints are.
        environ: variables for tokens of the form `env:NAME`.
        own_folder: whose files no token may be in.
    """

    def __init__(
        self,
        *,
        default: EndpointServer,
        make: MakeServer,
        database: Database,
        environ: Mapping[str, str],
        own_folder: Path,
    ) -> None:
        self._make = make
        self._database = database
        self._environ = environ
        self._own_folder = own_folder
        self._opened: dict[str, tuple[str, EndpointServer]] = {DEFAULT_ENDPOINT: ("", default)}

    def at(self, name: str | None) -> EndpointServer:
        """Return the server of an endpoint that was opened; None: of the default one.

        Raises:
            Transient: this process could not open it.
        """
        if (server := self.opened(name)) is None:
            raise Transient(f"this worker has no connection to Spark endpoint {name!r}")
        return server

    def opened(self, name: str | None) -> EndpointServer | None:
        """Return the server of an endpoint; None if this process has not opened it, and so has sent nothing there."""
        found = self._opened.get(name or DEFAULT_ENDPOINT)
        return None if found is None else found[1]

    async def open_named(self, name: str | None) -> EndpointServer:
        """Return the server of an endpoint, opened as it is now.

        Raises:
            Transient: there is no such endpoint, or its token can't be read here.
        """
        if name in (None, DEFAULT_ENDPOINT):
            return self.at(None)
        async with self._database.read() as unit:
            endpoint = await unit.endpoints.get(str(name))
        if endpoint is None:
            raise Transient(f"Spark endpoint {name!r}, on which tasks of this run may be at work, does not exist")
        return await self.open(endpoint)

    async def open(self, endpoint: SparkEndpoint) -> EndpointServer:
        """Return the server of an endpoint; the same object while its address and token are the same.

        Raises:
            Transient: its token can't be read here.
        """
        if endpoint.url is None:
            return self.at(None)
        url = await asyncio.to_thread(self._url, endpoint.name, endpoint.url, endpoint.token)
        present = self._opened.get(endpoint.name)
        if present is None or present[0] != url:
            present = self._opened[endpoint.name] = (url, self._make(endpoint.name, url))
        return present[1]

    def _url(self, name: str, url: str, token: str | None) -> str:
        if token is None:
            return url
        try:
            secret = resolve_secrets({"token": token}, environ=self._environ, own=self._own_folder)["token"]
        except InvalidInput as error:
            why = "; ".join(each.message for each in error.problems)
            raise Transient(f"the token of Spark endpoint {name!r} can't be read here: {why}") from None
        return f"{url}{';' if '/;' in url else '/;'}token={quote(secret, safe='')}"
