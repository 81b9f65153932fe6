"""Spark endpoints for admins: add, change, drain and delete them, and read which of them can take runs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import FieldProblem, InvalidInput, NotFound, PreconditionFailed, StateConflict
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.fleet.endpoints import MOST_ENDPOINTS, NAME_LABEL, EndpointRequest, EndpointState, SparkEndpoint
from engine.domain.remedies import remedy
from engine.formats.base import PlainProperties
from engine.services.catalogs.locations import LocationRules
from engine.services.catalogs.secrets import is_reference, problems_of_clear_secrets, problems_of_own_files
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_URL: Final = re.compile(
    r"sc://(?P<host>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?(/|/;use_ssl=(true|false))?"
)


class EndpointService:
    """Shows and writes endpoints. `own_folder`: whose files no token may be in."""

    def __init__(self, *, database: Database, rules: LocationRules, own_folder: Path) -> None:
        self._database = database
        self._rules = rules
        self._own_folder = own_folder

    async def list(self, caller: Caller, *, after: str | None, limit: int) -> Sequence[SparkEndpoint]:
        """Return endpoints by name, at most `limit`, from the one after `after`."""
        async with self._database.read() as unit:
            found = await unit.endpoints.list()
        return [_seen_by(caller, each) for each in found if after is None or each.name > after][:limit]

    async def get(self, caller: Caller, name: str) -> SparkEndpoint:
        """Return an endpoint, or raise `NotFound`."""
        async with self._database.read() as unit:
            return _seen_by(caller, await _found(unit, name))

    async def create(self, caller: Caller, name: str, request: EndpointRequest) -> SparkEndpoint:
        """Store a new endpoint; a worker probes it at once.

        Raises:
            InvalidInput: its address or token can't be used.
            StateConflict: there are `MOST_ENDPOINTS`.
            PreconditionFailed: one of this name exists.
        """
        self._check(name, request)
        async with self._database.begin() as unit:
            present = await unit.endpoints.list()
            if any(each.name == name for each in present):
                raise PreconditionFailed(f"Spark endpoint {name!r} exists: send its ETag as If-Match to replace it")
            if len(present) >= MOST_ENDPOINTS:
                raise StateConflict(f"there are {MOST_ENDPOINTS} Spark endpoints, the most: delete one")
            made = await unit.endpoints.insert(name, request, by=caller.subject)
            await unit.audit.append(caller, "spark_endpoint.create", name, after=request.document())
        return made

    async def replace(self, caller: Caller, name: str, request: EndpointRequest, version: int) -> SparkEndpoint:
        """Write an endpoint as a whole; a worker probes it at once.

        Raises:
            NotFound, PreconditionFailed, InvalidInput: as `create`; it has another version.
            StateConflict: another address, while live runs have worked there: their tasks are stopped only there.
        """
        self._check(name, request)
        async with self._database.begin() as unit:
            before = await _found(unit, name)
            after = await unit.endpoints.replace(name, version, request, by=caller.subject)
            if after is None:
                raise _changed(before)
            if before.url != request.url:
                await _require_unused(unit, name, "get another address")
            documents = {"before": before.request().document(), "after": request.document()}
            await unit.audit.append(caller, "spark_endpoint.replace", name, **documents)
        return await self.get(caller, name)

    async def delete(self, caller: Caller, name: str, version: int) -> None:
        """Delete an endpoint.

        Raises:
            NotFound, PreconditionFailed: there is none, or it has another version.
            StateConflict: it is the default one, or live runs have worked there.
        """
        if name == DEFAULT_ENDPOINT:
            raise StateConflict(
                "the endpoint 'default' is that of PACKHOUSE_SPARK_URL and always exists: set drained: true instead"
            )
        async with self._database.begin() as unit:
            before = await _found(unit, name)
            if not await unit.endpoints.delete(name, version):
                raise _changed(before)
            await _require_unused(unit, name, "be deleted")
            await unit.audit.append(caller, "spark_endpoint.delete", name, before=before.request().document())

    def _check(self, name: str, request: EndpointRequest) -> None:
        if problems := tuple(self._problems(name, request)):
            raise InvalidInput(f"Spark endpoint {name!r} can't be stored", problems=problems)

    def _problems(self, name: str, request: EndpointRequest) -> Iterator[FieldProblem]:
        if NAME_LABEL in (request.labels or {}):
            yield FieldProblem(
                "/labels", f"{NAME_LABEL!r} is the endpoint's name and can't be set", None, "leave the label out"
            )
        if name == DEFAULT_ENDPOINT:
            for field, value in (("/url", request.url), ("/token", request.token)):
                if value is not None:
                    hint = "leave it out: PACKHOUSE_SPARK_URL has the address and the token of this endpoint"
                    yield FieldProblem(field, "can't be set for the endpoint 'default'", None, hint)
            return
        if request.url is None:
            yield FieldProblem("/url", "is required", None, "give sc://host:15002, with /;use_ssl=true for TLS")
        else:
            yield from self._problems_of_url(request.url)
        if request.token is not None:
            given = {"token": request.token}
            found = [
                *problems_of_clear_secrets(given, PlainProperties(frozenset())),
                *problems_of_own_files(given, self._own_folder),
            ]
            for each in found:
                yield FieldProblem("/token", each.message, each.value, each.hint)
            if not found and not is_reference(request.token):
                yield FieldProblem(
                    "/token", "is not a reference to a secret", None, "give env:NAME or file:/absolute/path"
                )

    def _problems_of_url(self, url: str) -> Iterator[FieldProblem]:
        matched = _URL.fullmatch(url)
        if matched is None:
            hint = "give sc://host:port, with /;use_ssl=true for TLS; the token is a field of its own"
            yield FieldProblem("/url", "is not the address of a Spark Connect server", None, hint)
            return
        if self._rules.refuses_host(matched["host"].strip("[]")):
            hint = "give a host name or address of the server in your network"
            yield FieldProblem("/url", "its host is a loopback, link-local or metadata address", url, hint)


def _seen_by(caller: Caller, endpoint: SparkEndpoint) -> SparkEndpoint:
    """Return an endpoint without its addresses unless the caller is an admin."""
    if caller.role is Role.ADMIN:
        return endpoint
    detail = "" if endpoint.state is EndpointState.AWAY else endpoint.detail
    return replace(endpoint, url=None, token=None, detail=detail)


async def _found(unit: UnitOfWork, name: str) -> SparkEndpoint:
    found = next((each for each in await unit.endpoints.list() if each.name == name), None)
    if found is None:
        raise NotFound(f"no Spark endpoint {name!r}", remedy=remedy("list_spark_endpoints"))
    return found


async def _require_unused(unit: UnitOfWork, name: str, what: str) -> None:
    if (count := await unit.endpoints.count_live(name)) > 0:
        raise StateConflict(
            f"Spark endpoint {name!r} can't {what}: {count} live runs have worked there, and their tasks can be "
            "stopped only there; set drained: true and wait until they end"
        )


def _changed(present: SparkEndpoint) -> PreconditionFailed:
    return PreconditionFailed(
        f"Spark endpoint {present.name!r} has version {present.version} now: read it again, then repeat the change"
    )
