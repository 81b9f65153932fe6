"""Access to tables: formats by name, open connections by catalog, each blocking call in a thread.

The only place where secrets of catalogs are resolved; they are removed from errors that pass through here. A connection
is kept until its catalog is replaced or one of its secrets changes. Each call names the table or the catalog that it
waits for: `services.catalogs.bulkheads` limits the threads of each and sets the deadline of calls.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

import structlog

from engine.domain.errors import Away, FieldProblem, InvalidInput, PackhouseError, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.tables.table import Catalog, FormatName, TableRef
from engine.formats.base import (
    CatalogConnection,
    CheckStep,
    FileScope,
    OpenTable,
    PlainProperties,
    TableFormat,
)
from engine.formats.base.checks import problems_in_words
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.services.catalogs.addresses import HostNames
from engine.services.catalogs.bulkheads.calls import Bulkheads
from engine.services.catalogs.bulkheads.compartments import Compartment, ThreadLimits
from engine.services.catalogs.locations import ANYWHERE, LocationRules
from engine.services.catalogs.secrets import problems_of_own_files, resolve_secrets, secrets_in
from engine.tracing.spans import slow

_log = structlog.get_logger(__name__)

DEFAULT_LIMITS: Final = ThreadLimits()

POINTERS_AT_ONCE: Final = 8
POINTER_SECONDS: Final = 10.0

P = ParamSpec("P")
T = TypeVar("T")


RESOLVER_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class _OpenConnection:
    fingerprint: str
    connection: CatalogConnection


class TableAccess:
    """Runs calls to catalogs and tables of all formats in threads, with deadlines and without secrets in errors.

    `environ` resolves `env:` references, `locations` are the rules for reachable locations and addresses, `own_folder`
    is the folder to which `file:` references may not lead, `limits` are the threads and deadlines of calls. In methods
    that run a call, `where` is the table that it concerns, or the name of a catalog if it concerns no single table.
    """

    def __init__(
        self,
        *,
        formats: Mapping[FormatName, TableFormat],
        environ: Mapping[str, str],
        locations: LocationRules = ANYWHERE,
        own_folder: Path | None = None,
        names: HostNames | None = None,
        limits: ThreadLimits = DEFAULT_LIMITS,
    ) -> None:
        self._formats = formats
        self._environ = environ
        self.locations = locations
        self._own_folder = own_folder
        self._names = names or HostNames()
        self._bulkheads = Bulkheads(limits)
        self._kept: dict[str, _OpenConnection] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._secrets: set[str] = set()

    async def read(self, where: TableRef | str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking read in a thread; at the deadline of reads the call fails and its thread is abandoned.

        Raises:
            Away: no free thread, or no answer in time.
        """
        with self._calling(where):
            return await self._bulkheads.read(Compartment.of(where), partial(function, *args, **kwargs))

    async def read_for_run(
        self, where: TableRef | str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a blocking read that is a step of a run, like `read` but with the deadline of such steps.

        Raises:
            Away: no free thread, or no answer in time.
        """
        with self._calling(where):
            return await self._bulkheads.read(Compartment.of(where), partial(function, *args, **kwargs), is_work=True)

    async def write(self, where: TableRef | str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking call that may change the table; a cancelled caller still waits for its end.

        Raises:
            Away: no free thread; nothing was begun.
            OutcomeUnknown: no answer in time; the call may still change the table.
        """
        with self._calling(where):
            return await self._bulkheads.change(Compartment.of(where), partial(function, *args, **kwargs))

    def stuck_seconds(self) -> float:
        """Return for how long the oldest read that was told to end has computed on; 0 without one."""
        return self._bulkheads.stuck_seconds()

    async def validate(self, name: FormatName, properties: Mapping[str, str]) -> None:
        """Raise `InvalidInput` if no connection can be made from the properties. References are not resolved."""
        await self._check_addresses(properties)
        if self._own_folder is not None and (problems := problems_of_own_files(properties, self._own_folder)):
            raise InvalidInput("a catalog can't have Packhouse's own files", problems=tuple(problems))
        await asyncio.to_thread(self._format(name).validate, properties)

    async def refusals(self, name: FormatName, properties: Mapping[str, str]) -> Sequence[FieldProblem]:
        """Return the format's own problems with properties that may contain secrets: no value is repeated."""
        try:
            await asyncio.to_thread(self._format(name).validate, properties)
        except InvalidInput as error:
            return [replace(each, value=None) for each in error.problems]
        return ()

    def plain_properties(self, name: FormatName) -> PlainProperties:
        """Return the properties of a format's catalogs that contain no secrets."""
        return self._format(name).plain_properties()

    def spark_catalogs(self, name: FormatName) -> Sequence[str]:
        """Return the classes of catalogs in Spark in which procedures of a format can be called."""
        return self._format(name).capabilities().spark_catalogs

    async def connect(self, catalog: Catalog) -> CatalogConnection:
        """Return the catalog's open connection, made at first use.

        Raises:
            InvalidInput: a secret can't be read, an address is not allowed, or the format is not served here.
            Transient: the catalog does not answer.
        """
        table_format = self._format(catalog.format)
        properties = await self._resolved(catalog)
        self._secrets |= secrets_in(catalog.properties, properties, table_format.plain_properties())
        await self._check_addresses(properties)
        fingerprint = _fingerprint(catalog, properties)
        async with self._opening.setdefault(catalog.name, asyncio.Lock()):
            kept = self._kept.get(catalog.name)
            if kept is None or kept.fingerprint != fingerprint:
                try:
                    opened = await self.read(catalog.name, table_format.connect, catalog.name, properties)
                    kept = _OpenConnection(fingerprint, opened)
                except InvalidInput as error:  # the fault is in a resolved secret: never shown
                    error.problems = tuple(replace(problem, value=None) for problem in error.problems)
                    raise
                self._kept[catalog.name] = kept
        return kept.connection

    async def open_table(
        self,
        catalog: Catalog,
        ref: TableRef,
        *,
        location: str | None = None,
        lists_files: bool = True,
        check: Callable[[OpenTable], None] = lambda _opened: None,
    ) -> OpenTable:
        """Load a table's current metadata, and check that its files are in allowed locations.

        Args:
            catalog: the table's.
            ref: the table's address.
            location: as registered; None: the table is not registered yet, its metadata states the location.
            lists_files: False: files may be listed later, at their first use, where the format lists them.
            check: raises for another table than the expected one, whose locations do not matter then.

        Raises:
            NotFound: the catalog has no such table.
            InvalidInput: as `connect`, or a location of the table is not allowed (`services.catalogs.locations`).
            NotEligible: its metadata file is outside of its location.
            Transient: the catalog does not answer.
        """
        connection = await self.connect(catalog)
        scope = FileScope(location, catalog.allowed_locations, catalog.outside_files)
        opening = connection.open_table if lists_files else connection.open_entry
        with self._calling(ref):
            opened = await self._bulkheads.read_shared(
                Compartment.of(ref), (id(connection), scope, lists_files), partial(opening, ref, scope)
            )
        check(opened)
        self.locations.check(opened.locations, allowed=catalog.allowed_locations)
        self.locations.check_inside(opened.locations, AllowedFolders(scope.folders(opened.location)))
        return opened

    async def pointers(self, catalog: Catalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return each table's current metadata pointer from the catalog; tables without an answer are left out.

        A catalog that has to be asked table by table is asked within each table's own limits, so that one table without
        an answer delays the others by `POINTER_SECONDS` at most.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
            If asked table by table, both are raised only if none of the first tables has an answer.
        """
        connection = await self.connect(catalog)
        if connection.has_all_pointers:
            return await self.read(catalog.name, connection.pointers, refs)
        found: dict[TableRef, str] = {}
        for start in range(0, len(refs), POINTERS_AT_ONCE):
            part = refs[start : start + POINTERS_AT_ONCE]
            answers = await asyncio.gather(*(self._pointer(connection, ref) for ref in part))
            failures = [answer for answer in answers if isinstance(answer, PackhouseError)]
            if start == 0 and len(failures) == len(part):
                raise failures[0]
            for answer in answers:
                found |= {} if isinstance(answer, PackhouseError) else answer
        return found

    async def _pointer(self, connection: CatalogConnection, ref: TableRef) -> Mapping[TableRef, str] | PackhouseError:
        try:
            async with asyncio.timeout(POINTER_SECONDS):
                return await self.read(ref, connection.pointers, [ref])
        except TimeoutError:
            message = f"the catalog did not answer for table {ref} within {POINTER_SECONDS:g} seconds"
            return Away(DependencyKind.STORAGE, message)
        except (Transient, StateConflict) as error:  # one table's store may refuse the credentials, and no other
            return error
        except PackhouseError:
            raise
        except Exception:  # noqa: BLE001 - a fault of ours at one table must not stop the others; its look reports it
            _log.exception("pointer_not_read", table=str(ref))
            return {}

    async def check(self, catalog: Catalog) -> Sequence[CheckStep]:
        """Test the connection step by step: secrets, connection, then the format's own steps. A fault is a step."""
        steps: list[CheckStep] = []
        try:
            await self._resolved(catalog)
            steps.append(CheckStep("secrets", ok=True, detail="every reference can be read"))
            connection = await self.connect(catalog)
            found = await self.read(catalog.name, connection.check)
            return [*steps, *(replace(step, detail=self._redacted(step.detail)) for step in found)]
        except InvalidInput as error:
            name = "connection" if steps else "secrets"
            return [*steps, CheckStep(name, ok=False, detail=self._redacted(problems_in_words(error)))]
        except PackhouseError as error:
            return [*steps, CheckStep("connection", ok=False, detail=error.message)]

    def forget(self, catalog_name: str) -> None:
        """Drop the connection of a catalog that was replaced or deleted."""
        self._kept.pop(catalog_name, None)

    async def _resolved(self, catalog: Catalog) -> Mapping[str, str]:
        return await asyncio.to_thread(resolve_secrets, catalog.properties, environ=self._environ, own=self._own_folder)

    async def _check_addresses(self, properties: Mapping[str, str]) -> None:
        problems = self.locations.problems_of_uris(properties)
        if not problems and not self.locations.allows_local:
            problems = self.locations.problems_of_addresses(await self._resolve(properties))
        if problems:
            raise InvalidInput("a catalog property names a forbidden address", problems=tuple(problems))

    async def _resolve(self, properties: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        """Return the addresses of the hosts in properties.

        Raises:
            Away: the resolver of host names does not answer.
        """
        try:
            async with asyncio.timeout(RESOLVER_SECONDS):
                return await asyncio.to_thread(lambda: list(self._names.resolved(properties)))
        except TimeoutError:
            message = f"the resolver of host names did not answer within {RESOLVER_SECONDS:g} seconds"
            raise Away(DependencyKind.CATALOG, message) from None

    @contextmanager
    def _calling(self, where: TableRef | str) -> Iterator[None]:
        """Remove secrets from the errors of libraries, which often contain the URI that could not be reached.

        A slow call is a span.
        """
        try:
            with slow("catalog.call", catalog=Compartment.of(where).catalog):
                yield
        except PackhouseError as error:
            error.message = self._redacted(error.message)
            error.args = (error.message,)
            raise

    def _redacted(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):  # a URI before the password inside of it
            text = text.replace(secret, "***")
        return text

    def _format(self, name: FormatName) -> TableFormat:
        if name not in self._formats:
            hint = f"use one of {', '.join(sorted(self._formats))}"
            problem = FieldProblem("/format", "this installation does not serve this table format", name.value, hint)
            raise InvalidInput("the table format is not served here", problems=(problem,))
        return self._formats[name]


def _fingerprint(catalog: Catalog, properties: Mapping[str, str]) -> str:
    body = json.dumps([catalog.format, catalog.version, catalog.created_at.isoformat(), sorted(properties.items())])
    return hashlib.sha256(body.encode()).hexdigest()
