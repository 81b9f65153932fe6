"""Catalogs: create, read, replace, delete, check. Secrets stay references (`services.catalogs.secrets`)."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from engine.domain.access.callers import Caller
from engine.domain.access.grants import Grant
from engine.domain.clock import Clock
from engine.domain.errors import FieldProblem, InvalidInput, NotFound
from engine.domain.policies import PolicyScope, PolicyScopeKind
from engine.domain.tables.table import Catalog, FormatName, OutsideFiles
from engine.domain.values.strict import is_one_line
from engine.formats.base import CheckStep
from engine.services.access.idempotency import AnswerRecord
from engine.services.access.visibility import visible_catalogs
from engine.services.catalogs.names import MAX_NAME_CHARACTERS, check_catalog_name
from engine.services.catalogs.secrets import pointer_of, problems_of_clear_secrets
from engine.services.catalogs.table_access import TableAccess
from engine.stores.database import Database

__all__ = ["CatalogService", "CheckStep"]

MAX_PROPERTIES: Final = 100
MAX_PROPERTY_CHARACTERS: Final = 4096
MAX_LOCATIONS: Final = 50


class ChecksInSpark(Protocol):
    """Compares a catalog with those of Spark."""

    async def step(self, catalog: Catalog) -> CheckStep | None:
        """Return what Spark has under the catalog's name there; None for a catalog without one."""


class CatalogService:
    """Creates, shows, replaces, deletes and checks catalogs. `in_spark`: None where there is no Spark."""

    def __init__(
        self, *, database: Database, formats: TableAccess, clock: Clock, in_spark: ChecksInSpark | None = None
    ) -> None:
        self._database = database
        self._formats = formats
        self._clock = clock
        self._in_spark = in_spark

    async def create(
        self,
        caller: Caller,
        name: str,
        format_name: FormatName,
        properties: Mapping[str, str],
        *,
        allowed_locations: Sequence[str] = (),
        grants: Sequence[Grant] = (),
        outside_files: OutsideFiles = OutsideFiles.REFUSE,
        record: AnswerRecord[Catalog] | None = None,
    ) -> Catalog:
        """Store a new catalog. The connection is not tried: `check` does that.

        Raises:
            InvalidInput: the name, a property or a grant is wrong, or a secret is given in clear text.
            StateConflict: a catalog of that name exists.
        """
        check_catalog_name(name)
        await self._check_properties(format_name, properties)
        self._check_locations(allowed_locations, outside_files)
        _check_grants(grants)
        now = self._clock.now()
        catalog = Catalog(
            name,
            format_name,
            dict(properties),
            1,
            now,
            now,
            tuple(allowed_locations),
            grants=tuple(grants),
            outside_files=outside_files,
        )
        async with self._database.begin() as unit:
            catalog = await unit.catalogs.insert(catalog)
            await unit.audit.append(caller, "catalog.create", name, after=_audited(catalog))
            if record is not None:
                await record.store(unit, catalog)
        return catalog

    async def get(self, caller: Caller, name: str) -> Catalog:
        """Return a catalog, or raise `NotFound` with the most similar name that exists for the caller."""
        async with self._database.read() as unit:
            visible = await visible_catalogs(unit, caller)
            catalog = None if visible is not None and name not in visible else await unit.catalogs.get(name)
            if catalog is not None:
                return catalog
            known = [other.name for other in await unit.catalogs.list(None, 500, among=visible)]
        near = difflib.get_close_matches(name, known, n=1)
        raise NotFound(f"no catalog {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))

    async def list(self, caller: Caller, *, after: str | None, limit: int) -> Sequence[Catalog]:
        """Return the catalogs that exist for the caller, by name, from the one after `after`."""
        async with self._database.read() as unit:
            return await unit.catalogs.list(after, limit, among=await visible_catalogs(unit, caller))

    async def set_grants(self, caller: Caller, name: str, grants: Sequence[Grant], expected_version: int) -> Catalog:
        """Replace all grants of a catalog; return it at its next version.

        Raises:
            NotFound: no such catalog.
            InvalidInput: a grant is wrong.
            PreconditionFailed: the catalog is at another version.
        """
        catalog = await self.get(caller, name)
        _check_grants(grants)
        async with self._database.begin() as unit:
            changed = await unit.catalogs.set_grants(name, grants, expected_version)
            before = {"grants": [grant.document() for grant in catalog.grants]}
            after = {"grants": [grant.document() for grant in grants]}
            await unit.audit.append(caller, "catalog.grants", name, before=before, after=after)
        return changed

    async def replace(
        self,
        caller: Caller,
        name: str,
        properties: Mapping[str, str],
        expected_version: int,
        *,
        allowed_locations: Sequence[str] = (),
        outside_files: OutsideFiles = OutsideFiles.REFUSE,
    ) -> Catalog:
        """Store new properties and allowed locations as the next version; the format stays.

        Its tables are evaluated soon, and earlier failures no longer count: runs may succeed with the new properties.

        Raises:
            NotFound, InvalidInput: as `get` and `create`.
            PreconditionFailed: the catalog is at another version.
        """
        catalog = await self.get(caller, name)
        await self._check_properties(catalog.format, properties)
        self._check_locations(allowed_locations, outside_files)
        async with self._database.begin() as unit:
            replaced = await unit.catalogs.replace(
                name,
                dict(properties),
                expected_version,
                allowed_locations=allowed_locations,
                outside_files=outside_files,
            )
            before, after = _audited(catalog), _audited(replaced)
            await unit.audit.append(caller, "catalog.replace", name, before=before, after=after)
            await unit.breakers.close(name)  # failures with the former properties no longer count
            await unit.watches.wake_covered(PolicyScope(PolicyScopeKind.CATALOG, catalog=name), ends_rest=True)
        self._formats.forget(name)
        return replaced

    async def delete(self, caller: Caller, name: str, expected_version: int) -> None:
        """Delete a catalog that has no registered tables.

        Raises:
            NotFound, PreconditionFailed: as `replace`.
            StateConflict: tables are registered from it.
        """
        catalog = await self.get(caller, name)
        async with self._database.begin() as unit:
            await unit.catalogs.delete(name, expected_version)
            await unit.audit.append(caller, "catalog.delete", name, before=_audited(catalog))
        self._formats.forget(name)

    async def check(self, caller: Caller, name: str) -> Sequence[CheckStep]:
        """Try the connection and return each step's result; a broken connection is a result, not an error."""
        catalog = await self.get(caller, name)
        steps = await self._formats.check(catalog)
        if self._in_spark is None or not all(each.ok for each in steps):
            return steps
        step = await self._in_spark.step(catalog)
        return steps if step is None else [*steps, step]

    def _check_locations(self, locations: Sequence[str], outside_files: OutsideFiles) -> None:
        problems = self._formats.locations.problems_of_allowed(locations)
        if outside_files is OutsideFiles.ALLOWED_LOCATIONS and not locations:
            hint = "name the folders in allowed_locations, for example s3://lake/imported"
            problems.append(FieldProblem("/outside_files", "needs allowed_locations", outside_files.value, hint))
        if len(locations) > MAX_LOCATIONS:
            problems = [FieldProblem("/allowed_locations", f"a catalog has at most {MAX_LOCATIONS}", len(locations))]
        if problems:
            raise InvalidInput("the allowed locations can't be used", problems=tuple(problems))

    async def _check_properties(self, format_name: FormatName, properties: Mapping[str, str]) -> None:
        plain = self._formats.plain_properties(format_name)
        named = {each.pointer: each for each in problems_of_clear_secrets(properties, plain)}
        if named:  # a property that the format does not have needs no secret store
            kept = {pointer_of(name) for name in properties if plain.have(name)}.intersection(named)
            refused = await self._formats.refusals(format_name, properties)
            named |= {each.pointer: each for each in refused if each.pointer not in kept}
        problems = [*_problems_of_size(properties), *named.values()]
        if problems:
            raise InvalidInput("the catalog's properties can't be used", problems=tuple(problems))
        await self._formats.validate(format_name, properties)


def _audited(catalog: Catalog) -> dict[str, Any]:
    return {
        "format": catalog.format.value,
        "properties": dict(catalog.properties),
        "allowed_locations": list(catalog.allowed_locations),
        "grants": [grant.document() for grant in catalog.grants],
        "outside_files": catalog.outside_files.value,
        "version": catalog.version,
    }


def _check_grants(grants: Sequence[Grant]) -> None:
    """Raise `InvalidInput` for a pattern that no namespace can match; sizes are checked where grants are read."""
    problems = [
        FieldProblem(
            f"/grants/{index}/namespaces/{position}",
            "a pattern is matched against a namespace with its levels joined by dots; it has no empty level",
            pattern,
            "for example 'sales', 'sales.*' or '*'",
        )
        for index, grant in enumerate(grants)
        for position, pattern in enumerate(grant.namespaces)
        if not all(pattern.split("."))
    ]
    if problems:
        raise InvalidInput("these grants can't be made", problems=tuple(problems))


def _problems_of_size(properties: Mapping[str, str]) -> list[FieldProblem]:
    if len(properties) > MAX_PROPERTIES:
        return [FieldProblem("/properties", f"a catalog has at most {MAX_PROPERTIES} properties", len(properties))]
    problems = []
    for name, value in properties.items():
        if not name or len(name) > MAX_NAME_CHARACTERS or not is_one_line(name):
            message = f"a property's name is 1 to {MAX_NAME_CHARACTERS} characters, none of them a control character"
            problems.append(FieldProblem("/properties", message, name[:40]))
        if len(value) > MAX_PROPERTY_CHARACTERS or not is_one_line(value):
            message = (
                f"a property's value has at most {MAX_PROPERTY_CHARACTERS} characters, none of them a control character"
            )
            problems.append(FieldProblem(f"/properties/{name}", message))
    return problems
