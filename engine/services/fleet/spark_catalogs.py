"""Whether each Spark endpoint has a catalog under the name that a property gives, and reaches the same tables by it.

Procedures of a format are called in Spark's catalog of that name. Addresses of catalogs can't be compared: one may be
an alias, or a proxy, of the other. So a table is loaded in both: Spark's must have the metadata file that this catalog
names. Two catalogs in which one table was registered can have the same file until the next commit.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.domain.errors import Interrupted, PackhouseError, Transient
from engine.domain.fleet.endpoints import EndpointState, SparkEndpoint
from engine.domain.runs.procedures import SparkTable
from engine.domain.tables.table import Catalog, TableFilter, TableRef
from engine.domain.values.uris import masked
from engine.formats.base import SPARK_CATALOG, CheckStep
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.tasks.servers import CatalogsInSpark, EndpointServers
from engine.stores.database import Database

STEP: Final = "spark_catalog"

_AT_ONCE: Final = 2
"""Endpoints that are asked at the same time, each by a thread that other requests may need."""

_TABLES_TRIED: Final = 3
_NAMED: Final = 5
_LONGEST_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class _Sample:
    """A table to compare by: its address, and its metadata file in the catalog."""

    ref: TableRef
    pointer: str


@dataclass(frozen=True, slots=True)
class _Finding:
    ok: bool
    text: str


class SparkCatalogChecks:
    """Compares catalogs with those of Spark; each check asks every endpoint."""

    def __init__(self, *, database: Database, formats: TableAccess, servers: EndpointServers) -> None:
        self._database = database
        self._formats = formats
        self._servers = servers

    async def step(self, catalog: Catalog) -> CheckStep | None:
        """Return what the endpoints have under the name of a catalog in Spark; None without such a name.

        An endpoint that does not answer is not a fault of the catalog: its runs wait for it.
        """
        name = catalog.properties.get(SPARK_CATALOG)
        wanted = self._formats.spark_catalogs(catalog.format)
        if name is None or not wanted:
            return None
        async with self._database.read() as unit:
            endpoints = await unit.endpoints.list()
            away = await unit.outages.of_spark()
            registered = await unit.tables.list(TableFilter(catalog=catalog.name), None, _TABLES_TRIED)
        sample = await self._sample(catalog, [each.ref for each in registered])
        limit = asyncio.Semaphore(_AT_ONCE)

        async def at(endpoint: SparkEndpoint) -> _Finding:
            if endpoint.state is EndpointState.AWAY or endpoint.outage_key in away:
                return _waits(endpoint, endpoint.detail)
            async with limit:
                return await self._at(endpoint, name, wanted, sample)

        found = await asyncio.gather(*map(at, endpoints))
        return CheckStep(STEP, all(each.ok for each in found), "; ".join(each.text for each in found))

    async def _sample(self, catalog: Catalog, registered: Sequence[TableRef]) -> _Sample | None:
        """Return a registered table, or any other, with its metadata file; None if the catalog has none."""
        try:
            refs = registered
            if not refs:
                connection = await self._formats.connect(catalog)
                listed = await self._formats.read(catalog.name, connection.list_tables, 1)
                refs = [TableRef(catalog.name, each[:-1], each[-1]) for each in listed.identifiers]
            pointers = await self._formats.pointers(catalog, refs)
        except PackhouseError:  # an earlier step of the check reports the catalog's own faults
            return None
        return next((_Sample(ref, pointers[ref]) for ref in refs if ref in pointers), None)

    async def _at(self, endpoint: SparkEndpoint, name: str, wanted: Sequence[str], sample: _Sample | None) -> _Finding:
        where = f"Spark endpoint {endpoint.name}"
        try:
            catalogs = (await self._servers.open(endpoint)).catalogs
            if catalogs is None:
                return _Finding(True, f"{where}: its catalogs are not known")
            classes = await asyncio.to_thread(catalogs.classes)
            if (fault := _fault_of_class(where, name, classes, wanted)) is not None:
                return _Finding(False, fault)
            return await self._compared(where, name, catalogs, sample)
        except (Transient, Interrupted) as error:
            return _waits(endpoint, error.message)
        except PackhouseError as error:
            reason = masked(error.message)[:_LONGEST_SHOWN]
            return _Finding(False, f"{where} can't show its catalogs: {reason}")

    async def _compared(self, where: str, name: str, catalogs: CatalogsInSpark, sample: _Sample | None) -> _Finding:
        if sample is None:
            return _Finding(True, f"{where} has {name}; there is no table to compare it by")
        ref, table = sample.ref, SparkTable(name, sample.ref.namespace, sample.ref.name)
        named = ".".join((name, *ref.namespace, ref.name))
        try:
            files = await asyncio.to_thread(catalogs.metadata_files, table)
        except (Transient, Interrupted):
            raise
        except PackhouseError as error:
            reason = masked(error.message)[:_LONGEST_SHOWN]
            remedy = f"correct the settings spark.sql.catalog.{name}.* there, or {SPARK_CATALOG}"
            return _Finding(False, f"{where} can't read {named}: {reason}; {remedy}")
        if sample.pointer in files:
            return _Finding(True, f"{where} has {name}, with the same metadata of {named}")
        remedy = f"set {SPARK_CATALOG} to the name that this catalog has there"
        return _Finding(False, f"{where}: {named} is another table than {ref}, or an old copy of it; {remedy}")


def _waits(endpoint: SparkEndpoint, reason: str) -> _Finding:
    text = f"Spark endpoint {endpoint.name} does not answer, and runs that need it wait: check again when it does"
    return _Finding(True, f"{text} ({masked(reason)[:_LONGEST_SHOWN]})" if reason else text)


def _fault_of_class(where: str, name: str, classes: Mapping[str, str], wanted: Sequence[str]) -> str | None:
    """Return why Spark's catalog of a name is not of a class that is needed; None if it is."""
    if name not in classes:
        others = sorted(each for each, of in classes.items() if of in wanted)
        shown = ", ".join(others[:_NAMED]) + (", …" if len(others) > _NAMED else "")
        remedy = f"set spark.sql.catalog.{name} there, or correct {SPARK_CATALOG}"
        return f"{where} has no catalog named {name}; of class {wanted[0]} it has {shown or 'none'}; {remedy}"
    if classes[name] not in wanted:
        return f"{where}: catalog {name} is {classes[name]}; name one whose class is {wanted[0]}"
    return None
