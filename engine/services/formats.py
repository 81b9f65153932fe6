"""The way to tables: formats by name, open connections by catalog, and every blocking call in a thread.

The only place where secrets of catalogs are resolved; errors that pass through here have them blotted out. A connection
is kept until its catalog is replaced or one of its secrets changes. At most `threads` threads run; a call that was
waited for in vain keeps its thread until the library gives up, and its caller gets `Transient` after the patience.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ParamSpec, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter

from engine.domain.dependencies import Dependency
from engine.domain.errors import Away, FieldProblem, InvalidInput, PackhouseError
from engine.domain.tables import Catalog, TableFormatName, TableRef
from engine.formats.base import CatalogConnection, CheckStep, OpenTable, TableFormat
from engine.services.locations import ANYWHERE, LocationRules
from engine.services.secrets import problems_of_own_files, resolve_secrets, secrets_in

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    fingerprint: str
    connection: CatalogConnection


class FormatRegistry:
    """Table formats by name.

    `environ` is where `env:` references are looked up, `locations` what may be reached, `own_folder` where `file:`
    references may not lead.
    """

    def __init__(
        self,
        *,
        formats: Mapping[TableFormatName, TableFormat],
        environ: Mapping[str, str],
        locations: LocationRules = ANYWHERE,
        own_folder: Path | None = None,
        threads: int = 16,
        patience_seconds: float = 60,
    ) -> None:
        self._formats = formats
        self._environ = environ
        self.locations = locations
        self._own_folder = own_folder
        self._limiter = CapacityLimiter(threads)
        self._patience = patience_seconds
        self._kept: dict[str, _Kept] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._secrets: set[str] = set()

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking call of a format in a thread and wait for it, however long it takes."""
        with self._blotting():
            return await anyio.to_thread.run_sync(lambda: function(*args, **kwargs), limiter=self._limiter)

    async def ask(self, what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking read in a thread and give up after the registry's patience; `what` names it in the error.

        Raises:
            Away: no answer in time. The thread is left behind: only for calls that change nothing.
        """
        try:
            async with asyncio.timeout(self._patience):
                with self._blotting():
                    return await anyio.to_thread.run_sync(
                        lambda: function(*args, **kwargs), limiter=self._limiter, abandon_on_cancel=True
                    )
        except TimeoutError:
            message = f"{what} did not answer within {self._patience:g} seconds"
            raise Away(Dependency.CATALOG, message) from None

    async def validate(self, name: TableFormatName, properties: Mapping[str, str]) -> None:
        """Raise `InvalidInput` where properties can't make a connection. References are not resolved for this."""
        self._check_addresses(properties)
        if self._own_folder is not None and (problems := problems_of_own_files(properties, self._own_folder)):
            raise InvalidInput("a catalog can't have Packhouse's own files", problems=tuple(problems))
        await self.call(self._format(name).validate, properties)

    async def connect(self, catalog: Catalog) -> CatalogConnection:
        """Return the catalog's open connection, made at first use.

        Raises:
            InvalidInput: a secret can't be read, an address is not allowed, or the format is not served here.
            Transient: the catalog does not answer.
        """
        table_format = self._format(catalog.format)
        properties = await self.call(resolve_secrets, catalog.properties, environ=self._environ, own=self._own_folder)
        self._secrets |= secrets_in(catalog.properties, properties)
        self._check_addresses(properties)
        fingerprint = _fingerprint(catalog, properties)
        async with self._opening.setdefault(catalog.name, asyncio.Lock()):
            kept = self._kept.get(catalog.name)
            if kept is None or kept.fingerprint != fingerprint:
                what = f"catalog {catalog.name!r}"
                try:
                    kept = _Kept(fingerprint, await self.ask(what, table_format.connect, catalog.name, properties))
                except InvalidInput as error:  # what is wrong is what a reference stands for: never answered
                    error.problems = tuple(replace(problem, value=None) for problem in error.problems)
                    raise
                self._kept[catalog.name] = kept
        return kept.connection

    async def open_table(self, catalog: Catalog, ref: TableRef) -> OpenTable:
        """Load a table's present metadata, and make sure that it lies where it may.

        Raises:
            NotFound: the catalog has no such table.
            InvalidInput: as `connect`, or a place of the table is not allowed (`services.locations`).
            Transient: the catalog does not answer.
        """
        connection = await self.connect(catalog)
        opened = await self.ask(f"catalog {catalog.name!r}", connection.open_table, ref)
        self.locations.check(opened.locations, allowed=catalog.allowed_locations)
        return opened

    async def check(self, catalog: Catalog) -> Sequence[CheckStep]:
        """Try the connection step by step: secrets, connection, then the format's own steps. A fault is a step."""
        steps: list[CheckStep] = []
        try:
            await self.call(resolve_secrets, catalog.properties, environ=self._environ, own=self._own_folder)
            steps.append(CheckStep("secrets", ok=True, detail="every reference can be read"))
            connection = await self.connect(catalog)
            found = await self.ask(f"catalog {catalog.name!r}", connection.check)
            return [*steps, *(replace(step, detail=self._blotted(step.detail)) for step in found)]
        except InvalidInput as error:
            detail = "; ".join(problem.message for problem in error.problems) or error.message
            return [*steps, CheckStep("connection" if steps else "secrets", ok=False, detail=detail)]
        except PackhouseError as error:
            return [*steps, CheckStep("connection", ok=False, detail=error.message)]

    def forget(self, catalog_name: str) -> None:
        """Drop a connection: its catalog was replaced or deleted."""
        self._kept.pop(catalog_name, None)

    def _check_addresses(self, properties: Mapping[str, str]) -> None:
        if problems := self.locations.problems_of_uris(properties):
            raise InvalidInput("the catalog leads where it may not", problems=tuple(problems))

    @contextmanager
    def _blotting(self) -> Iterator[None]:
        """Blot secrets out of the errors of libraries, which like to show the URI that they could not reach."""
        try:
            yield
        except PackhouseError as error:
            error.message = self._blotted(error.message)
            error.args = (error.message,)
            raise

    def _blotted(self, text: str) -> str:
        for secret in sorted(self._secrets, key=len, reverse=True):  # a URI before the password inside of it
            text = text.replace(secret, "***")
        return text

    def _format(self, name: TableFormatName) -> TableFormat:
        if name not in self._formats:
            problem = FieldProblem("/format", "this installation does not serve this table format", name.value)
            raise InvalidInput("the table format is not served here", problems=(problem,))
        return self._formats[name]


def _fingerprint(catalog: Catalog, properties: Mapping[str, str]) -> str:
    body = json.dumps([catalog.format, catalog.version, catalog.created_at.isoformat(), sorted(properties.items())])
    return hashlib.sha256(body.encode()).hexdigest()
