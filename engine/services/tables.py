"""Registered tables: register, read, delete, and what can be said of them without changing anything.

Everything that asks a catalog or reads manifests runs in threads and outside transactions. A table's address is
resolved once, at registration; from then on its uuid says whether it is still the same table.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from engine.domain.access import Caller, require_team
from engine.domain.clock import Clock
from engine.domain.errors import FieldProblem, InvalidInput, NotFound, StateConflict, TableReplaced, Transient
from engine.domain.ids import IdSource, RunId, TableId
from engine.domain.policies import EffectivePolicy, PolicyDocument, effective_policy
from engine.domain.runs import TERMINAL_STATES, Run, RunState
from engine.domain.tables import Catalog, Table, TableRef
from engine.formats.base import OpenTable
from engine.planning.health import health
from engine.services.explain import explain, explain_unreachable
from engine.services.formats import FormatRegistry
from engine.services.names import check_table_ref
from engine.services.policies import check_settings
from engine.services.registered import open_registered, read_registered
from engine.services.trials import plan_document, try_plan
from engine.stores.database import Database


class TableService:
    """Registers tables and answers questions about them."""

    def __init__(self, *, database: Database, formats: FormatRegistry, ids: IdSource, clock: Clock) -> None:
        self._database = database
        self._formats = formats
        self._ids = ids
        self._clock = clock

    async def register(
        self, caller: Caller, ref: TableRef, *, owner_team: str | None, labels: Mapping[str, str]
    ) -> Table:
        """Load the table once and store its uuid and location.

        Raises:
            Forbidden: the owner team is not one of the caller's.
            InvalidInput: a name can't be one, or there is no such catalog or table.
            StateConflict: the table is registered already.
            Transient: the catalog does not answer.
        """
        check_table_ref(ref)
        require_team(caller, owner_team)
        catalog = await self._catalog(ref.catalog)
        try:
            opened = await self._formats.open_table(catalog, ref)
        except NotFound:
            hint = f"POST /v1/catalogs/{ref.catalog}/check shows whether the catalog is the right one"
            problem = FieldProblem("/name", f"the catalog has no table {ref}", ref.name, hint)
            raise InvalidInput(f"no table {ref} in its catalog", problems=(problem,)) from None
        table = Table(
            id=self._ids.table_id(),
            ref=ref,
            uuid=opened.uuid,
            location=opened.location,
            owner_team=owner_team,
            created_at=self._clock.now(),
            labels=dict(labels),
        )
        async with self._database.begin() as unit:
            await unit.tables.insert(table)
        return table

    async def get(self, caller: Caller, table_id: TableId) -> Table:
        """Return a registered table, or raise `NotFound`."""
        async with self._database.read() as unit:
            table, _ = await read_registered(unit, table_id, caller)
        return table

    async def list(self, _caller: Caller, *, catalog: str | None, after: TableId | None, limit: int) -> Sequence[Table]:
        """Return registered tables, newest first, at most `limit`, older than `after`."""
        async with self._database.read() as unit:
            return await unit.tables.list(catalog, after, limit)

    async def delete(self, caller: Caller, table_id: TableId) -> None:
        """Forget a table and its policy; its runs stay. The table itself is not touched.

        Raises:
            NotFound: no such table.
            StateConflict: a run of it is live.
        """
        await self.get(caller, table_id)
        async with self._database.begin() as unit:
            await unit.tables.delete(table_id)

    async def health(self, caller: Caller, table_id: TableId) -> Mapping[str, Any]:
        """Measure the present data files: sums, size classes, score and its parts, worst partitions.

        Raises:
            NotFound, TableReplaced, StateConflict, Transient: see `services.registered`.
        """
        table, opened, policy = await self._observe(caller, table_id)
        small = policy.bytes_of("rewrite.small_file_bytes") or 0
        large = policy.bytes_of("rewrite.large_file_bytes")
        measured = await self._formats.ask(
            f"table {table.ref}", lambda: health(opened.digest(), small_bytes=small, large_bytes=large)
        )
        return {
            "table_id": table.id,
            "measured_at": self._clock.now(),
            "snapshot_id": _text(opened.head_snapshot_id),
            "table": dict(await self._formats.ask(f"table {table.ref}", opened.describe)),
            **asdict(measured),
        }

    async def plan(self, caller: Caller, table_id: TableId, *, policy: PolicyDocument | None) -> Mapping[str, Any]:
        """Return what a run would do now, without doing it; `policy` is tried instead of the stored one.

        Raises:
            InvalidInput: the policy to try contradicts itself on this table.
            NotFound, TableReplaced, StateConflict, Transient: see `services.registered`.
        """
        table, opened, effective = await self._observe(caller, table_id, instead=policy)
        check_settings(effective)
        last = await self._latest_run(table_id, TERMINAL_STATES)
        trial = await self._formats.ask(f"table {table.ref}", try_plan, opened, effective, last)
        return {
            "table_id": table.id,
            "enabled": effective.enabled,
            "eligible": trial.is_eligible,
            "conditions": [asdict(condition) for condition in trial.conditions],
            **plan_document(trial.plan),
        }

    async def history(self, caller: Caller, table_id: TableId, *, before: RunId | None, limit: int) -> Sequence[Run]:
        """Return ended runs that changed the table, newest first, at most `limit`, older than `before`."""
        await self.get(caller, table_id)
        found: list[Run] = []
        while len(found) < limit:
            async with self._database.read() as unit:
                runs = await unit.runs.list(table_id=table_id, states=TERMINAL_STATES, before=before, limit=limit)
            found += [run for run in runs if run.result.get("snapshot_ids")]
            if len(runs) < limit:
                break
            before = runs[-1].id
        return found[:limit]

    async def explain(self, caller: Caller, table_id: TableId) -> Mapping[str, Any]:
        """Say why the table did or did not run, and what a run would do now; works without the catalog, then with less.

        Raises:
            NotFound, TableReplaced, StateConflict: see `services.registered`.
        """
        table = await self.get(caller, table_id)
        live = await self._latest_run(table_id, frozenset(RunState) - TERMINAL_STATES)
        last = await self._latest_run(table_id, TERMINAL_STATES)
        try:
            _, opened, policy = await self._observe(caller, table_id)
            trial = await self._formats.ask(f"table {table.ref}", try_plan, opened, policy, last)
        except TableReplaced:
            raise
        except (Transient, InvalidInput, StateConflict) as error:
            policy = effective_policy(table_properties={}, own=await self._own_policy(table_id))
            return explain_unreachable(table, policy, error.message, live=live, last=last)
        return explain(table, policy, trial, live=live, last=last)

    async def _catalog(self, name: str) -> Catalog:
        async with self._database.read() as unit:
            catalog = await unit.catalogs.get(name)
            if catalog is not None:
                return catalog
            known = [other.name for other in await unit.catalogs.list(None, 500)]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "create it first with POST /v1/catalogs"
        problem = FieldProblem("/catalog", f"no catalog {name!r}", name, hint)
        raise InvalidInput(f"no catalog {name!r}", problems=(problem,))

    async def _observe(
        self, caller: Caller, table_id: TableId, *, instead: PolicyDocument | None = None
    ) -> tuple[Table, OpenTable, EffectivePolicy]:
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
        own = instead if instead is not None else await self._own_policy(table_id)
        opened = await open_registered(self._formats, catalog, table)
        properties = await self._formats.call(opened.policy_properties)
        return table, opened, effective_policy(table_properties=properties, own=own)

    async def _own_policy(self, table_id: TableId) -> PolicyDocument | None:
        async with self._database.read() as unit:
            stored = await unit.policies.get(table_id)
        return stored.document if stored else None

    async def _latest_run(self, table_id: TableId, states: frozenset[RunState]) -> Run | None:
        async with self._database.read() as unit:
            runs = await unit.runs.list(table_id=table_id, states=states, before=None, limit=1)
        return runs[0] if runs else None


def _text(snapshot_id: int | None) -> str | None:
    """Snapshot ids pass 2^53, where JSON readers lose digits."""
    return None if snapshot_id is None else str(snapshot_id)
