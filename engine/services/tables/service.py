"""Registered tables: register, read, change, delete, and plan runs.

Calls to catalogs and reads of manifests run in threads and outside of transactions. A table's address is resolved once,
at registration; from then on its uuid shows whether it is still the same table.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from engine.domain.access.callers import Caller, Role, require_team
from engine.domain.access.grants import Right, allows
from engine.domain.clock import Clock
from engine.domain.errors import (
    FieldProblem,
    InvalidInput,
    NotFound,
    PreconditionFailed,
    StateConflict,
)
from engine.domain.ids import IdSource, RunId, TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.remedies import remedy
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run
from engine.domain.tables.table import MAX_LABELS, Catalog, Table, TableFilter, TableRef, TableUpdate
from engine.domain.values.instants import Period
from engine.services.access.idempotency import AnswerRecord
from engine.services.access.visibility import narrowed
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.locations import OutsideAllowedLocations
from engine.services.catalogs.names import check_table_ref
from engine.services.catalogs.registered import find_id, read_own, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.rule_words import due_document
from engine.services.planning.run_statistics import read_statistics
from engine.services.planning.trials import EVERYTHING, plan_document, try_plan
from engine.services.policies import writes as policy_writes
from engine.services.policies.acknowledgements import Acknowledgements
from engine.services.policies.effective import check_settings
from engine.services.runs.budgets import day_budget
from engine.services.tables.deletions import declared, deleting_of_new, deleting_of_patch
from engine.services.tables.observations import ObservationService
from engine.services.tables.shared_locations import check_overlap, location_refused
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

PAUSED_AT_REGISTRATION: Final = "paused when it was registered"
"""Reason of the pause of a table that is registered with `paused`."""


class TableService:
    """Registers tables and reads, changes and deletes registrations."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        observations: ObservationService,
        capabilities: CapabilityService,
        acknowledgements: Acknowledgements,
        ids: IdSource,
        clock: Clock,
        grace_seconds: float = 0,
    ) -> None:
        self._database = database
        self._formats = formats
        self._observations = observations
        self._capabilities = capabilities
        self._acknowledgements = acknowledgements
        self._ids = ids
        self._clock = clock
        self._grace_seconds = grace_seconds

    async def register(
        self,
        caller: Caller,
        ref: TableRef,
        *,
        owner_team: str | None,
        labels: Mapping[str, str],
        paused: bool = False,
        acknowledge: str | None = None,
        acknowledged: Mapping[str, Any] | None = None,
        record: AnswerRecord[Table] | None = None,
    ) -> Table:
        """Load the table once and store its uuid and location.

        The first automatic run waits for the grace period; with `paused` no run starts before the table is resumed.
        `acknowledge`: the token of the preview, if policies delete files or history of the table once it is registered;
        or `acknowledged`: what `Acknowledgements.require` returned for this table among others.

        Raises:
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
            StateConflict: the table is registered already, or a table that the caller sees overlaps with its location.
            InvalidInput: as `examine`, or a table that the caller does not see overlaps with its location.
            Forbidden, Transient: as `examine`.
        """
        table = await self.examine(caller, ref, owner_team=owner_team, labels=labels)
        async with self._database.read() as unit:
            deleting = await deleting_of_new(unit, table)
        deletions = acknowledged if deleting.count else None
        if deletions is None:
            deletions = await self._acknowledgements.require(caller, deleting, acknowledge)
        async with self._database.begin() as unit:
            await unit.tables.lock_registrations()
            catalog = await _registrable_catalog(unit, caller, ref)  # the grant may be gone since the table was opened
            await check_overlap(unit, caller, table, catalog)
            if deletions is None and (await deleting_of_new(unit, table)).count:
                raise StateConflict(f"policies that cover {ref} changed at the same time: send the request again")
            await unit.tables.insert(table, grace_seconds=self._grace_seconds)
            scope = PolicyScope(PolicyScopeKind.TABLE, table_id=table.id)
            await policy_writes.audit_acknowledged(unit, caller, table.id, scope, deletions)
            after = _audited(table)
            if paused:
                pause = await unit.pauses.switch_table(
                    table.id, by=caller.subject, reason=PAUSED_AT_REGISTRATION, stops=False
                )
                table, after = replace(table, pause=pause), after | {"paused": True}
            await unit.audit.append(caller, "table.register", table.id, after=after)
            if record is not None:
                await record.store(unit, table)
        return table

    async def examine(
        self, caller: Caller, ref: TableRef, *, owner_team: str | None, labels: Mapping[str, str]
    ) -> Table:
        """Load a table to be registered and return the registration that would be stored.

        Raises:
            Forbidden: the owner team is not one of the caller's.
            InvalidInput: a name is not valid, there is no such catalog or table, its location is not allowed, or no
                grant allows the caller to register it; without a grant the answer does not depend on the catalog.
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """
        check_table_ref(ref)
        require_team(caller, owner_team)
        async with self._database.read() as unit:
            catalog = await _registrable_catalog(unit, caller, ref)
        try:
            opened = await self._formats.open_table(catalog, ref)
        except NotFound:
            message = f"the catalog has no table {ref}, or there are no files of it"
            found = remedy("discover_tables", name=ref.catalog)
            problem = FieldProblem("/name", message, ref.name, "list the tables that it has", found)
            raise InvalidInput(f"no table {ref} in its catalog", problems=(problem,)) from None
        except OutsideAllowedLocations:
            if caller.role is Role.ADMIN:
                raise
            raise location_refused(caller, ref) from None
        return Table(
            id=self._ids.table_id(),
            ref=ref,
            uuid=opened.uuid,
            location=opened.location,
            owner_team=owner_team,
            created_at=self._clock.now(),
            labels=dict(labels),
        )

    async def resolve(self, caller: Caller, text: str) -> TableId:
        """Return the id of the table that an id or an address names.

        Raises:
            NotFound, InvalidInput: as `registered.find_id`.
        """
        async with self._database.read() as unit:
            return await find_id(unit, text, caller)

    async def get(self, caller: Caller, table_id: TableId) -> Table:
        """Return a registered table, or raise `NotFound`."""
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
        return table

    async def list(self, caller: Caller, wanted: TableFilter, *, after: TableId | None, limit: int) -> Sequence[Table]:
        """Return the matching tables that the caller sees, newest first, at most `limit`, older than `after`.

        Raises:
            InvalidInput: a namespace without its catalog, or a name without its namespace.
        """
        async with self._database.read() as unit:
            return await unit.tables.list(await narrowed(unit, caller, wanted), after, limit)

    async def update(
        self,
        caller: Caller,
        table_id: TableId,
        change: TableUpdate,
        *,
        if_match: int | None = None,
        acknowledge: str | None = None,
    ) -> Table:
        """Change team and labels by a JSON merge patch; the table's runs move to a new team with it.

        Policies of the new team and labels apply at once. `acknowledge`: the token of a preview, if they delete more.

        Raises:
            NotFound: no such table.
            Forbidden: the new owner team is not one of the caller's, or the caller may only read the table.
            PreconditionFailed: `if_match` is given and the table is at another version.
            InvalidInput: more labels than a table may have.
            AcknowledgementRequired, EffectsChanged: as `Acknowledgements.require`.
        """
        deletions = await self._acknowledged(caller, table_id, change, acknowledge)
        async with self._database.begin() as unit:
            await unit.tables.lock(table_id)
            table, _ = await read_own(unit, table_id, caller)
            if if_match not in (None, table.version):
                message = f"table {table_id} has version {table.version} now; read it again"
                raise PreconditionFailed(message, details={"version": table.version})
            owner_team, labels = change.owner_team_of(table), change.labels_of(table)
            if (owner_team, labels) == (table.owner_team, table.labels):
                return table
            require_team(caller, owner_team)
            _check_label_count(labels)
            if deletions is None and (await deleting_of_patch(unit, table, change)).count:
                raise StateConflict(f"policies of table {table_id} changed at the same time: send the change again")
            scope = PolicyScope(PolicyScopeKind.TABLE, table_id=table_id)
            await policy_writes.audit_acknowledged(unit, caller, table_id, scope, deletions)
            changed = await unit.tables.update(table, owner_team=owner_team, labels=labels)
            await policy_writes.follow_table(unit, table, changed)
            before, after = declared(table), declared(changed)
            await unit.audit.append(caller, "table.patch", table_id, before=before, after=after)
        return changed

    async def _acknowledged(
        self, caller: Caller, table_id: TableId, change: TableUpdate, acknowledge: str | None
    ) -> Mapping[str, Any] | None:
        async with self._database.read() as unit:
            table, _ = await read_own(unit, table_id, caller)
            deleting = await deleting_of_patch(unit, table, change)
        return await self._acknowledgements.require(caller, deleting, acknowledge)

    async def delete(self, caller: Caller, table_id: TableId) -> None:
        """Delete the registration of a table and its policy; its runs are kept. The table itself is not changed.

        Raises:
            NotFound: no such table.
            Forbidden: the caller may only read it.
            StateConflict: a run of it is live.
        """
        async with self._database.begin() as unit:
            await unit.tables.lock(table_id)  # so that its team can't change after the check
            table, _ = await read_own(unit, table_id, caller)
            if (policy := await unit.policies.get(table_id)) is not None:
                await policy_writes.delete(unit, caller, policy, policy.version)
            await unit.tables.delete(table_id)
            await unit.audit.append(caller, "table.delete", table_id, before=_audited(table))

    async def plan(
        self,
        caller: Caller,
        table_id: TableId,
        *,
        policy: PolicyDocument | None,
        request: RunRequest = EVERYTHING,
    ) -> Mapping[str, Any]:
        """Return the plan of a run with this request now; `policy` is used instead of the stored one.

        Raises:
            InvalidInput: the policy contradicts itself on this table or is not supported by its format, the predicate
                does not fit the table, or one file group exceeds the daily budget.
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self._observations.observe(caller, table_id, instead=policy)
        check_settings(seen.policy, is_trial=policy is not None)
        self._capabilities.check_settings(seen.format, seen.policy.values, seen.policy.origins)
        async with self._database.read() as unit:
            known = await read_statistics(unit, table_id, catalog=seen.opened.ref.catalog)
            hot = await unit.hot_partitions.at(table_id)
        trial = await self._formats.read(seen.opened.ref, try_plan, seen.opened, seen.policy, known, request, hot)
        if policy is None:
            await self._observations.measure(seen)
        evaluation = await self._observations.evaluate(seen)
        async with self._database.read() as unit:
            day = await day_budget(unit, table_id, seen.policy)
        plan, day = day.admit(trial.plan)
        return {
            "table_id": table_id,
            "enabled": seen.policy.enabled,
            "eligible": trial.is_eligible,
            "conditions": [asdict(condition) for condition in trial.conditions],
            "due": due_document(evaluation, seen.policy),
            **plan_document(plan, day.deferred),
        }

    async def history(
        self, caller: Caller, table_id: TableId, period: Period, *, before: RunId | None, limit: int
    ) -> Sequence[Run]:
        """Return ended runs, submitted in a period, that changed the table: newest first, older than `before`."""
        await self.get(caller, table_id)
        async with self._database.read() as unit:
            return await unit.runs.list_changes(table_id, before, limit, period)


async def _registrable_catalog(unit: UnitOfWork, caller: Caller, ref: TableRef) -> Catalog:
    """Return the catalog of a table that the caller may register, by grant or as an admin."""
    catalog = await unit.catalogs.get(ref.catalog)
    if catalog is not None and allows(caller, catalog.grants, Right.REGISTER, ref.namespace):
        return catalog
    if caller.role is not Role.ADMIN:
        message = f"no catalog {ref.catalog!r} from which {caller.subject} may register {ref}"
        hint, grants = "an admin can grant the right 'register'", remedy("replace_catalog_grants", name=ref.catalog)
        raise InvalidInput(message, problems=(FieldProblem("/catalog", message, ref.catalog, hint, grants),))
    known = [other.name for other in await unit.catalogs.list(None, 500)]
    near = difflib.get_close_matches(ref.catalog, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "create it first"
    create = None if near else remedy("create_catalog", name=ref.catalog)
    problem = FieldProblem("/catalog", f"no catalog {ref.catalog!r}", ref.catalog, hint, create)
    raise InvalidInput(f"no catalog {ref.catalog!r}", problems=(problem,))


def _check_label_count(labels: Mapping[str, str]) -> None:
    if len(labels) > MAX_LABELS:
        problem = FieldProblem("/labels", f"a table has at most {MAX_LABELS} labels", len(labels))
        raise InvalidInput("too many labels", problems=(problem,))


def _audited(table: Table) -> dict[str, Any]:
    return {"address": str(table.ref), "uuid": table.uuid, "location": table.location, **declared(table)}
