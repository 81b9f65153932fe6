"""Advice on a table's policy, from signals about its queries and from the history of its writes.

Queries come from pushed signals (`filters`) and reported scans, ingestion from the summaries of the snapshots that the
table still has, rewriting from runs. Looks back seven days, or as far as the table has snapshots.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from engine.domain.access.callers import Caller
from engine.domain.errors import InvalidInput
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy, PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy, Strategy
from engine.domain.runs.run import Operation, Run
from engine.domain.tables.orders import ORDERED_STRATEGIES
from engine.domain.tables.scans import ScanFigures, ScanSums
from engine.domain.tables.signals import Filters, Signal, SignalKind
from engine.formats.base import SnapshotInfo, SnapshotKind
from engine.planning.advice import Layout, LayoutAdvice, UpkeepAdvice, Writes, advise_layout, advise_upkeep
from engine.services.catalogs.table_access import TableAccess
from engine.services.planning.upkeep.overview import UpkeepLine, upkeep_overview
from engine.services.planning.upkeep.record import UpkeepRecord, read_upkeep_record
from engine.services.policies.checks import PolicyChecks
from engine.services.policies.effects import PolicyChange, TableItself
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database

WINDOW: Final = timedelta(days=7)
MOST_SNAPSHOTS: Final = 10_000
MOST_SIGNALS: Final = 1000
MOST_RUNS: Final = 1000


@dataclass(frozen=True, slots=True)
class Advice:
    """Recommended settings for a table, and the observations that they are based on.

    `policy`: the table's own policy with the recommended layout; None if none is recommended, the table has it, or the
    table can't have it: `layout.because` ends with the reason then. `scans`: those that readers reported, None: none.
    """

    layout: LayoutAdvice
    upkeep: UpkeepAdvice
    writes: Writes
    expiry_seconds: float
    expiry_is_assumed: bool
    policy: PolicyDocument | None
    scans: ScanFigures | None


@dataclass(frozen=True, slots=True)
class _Facts:
    """A table's history and columns. `partition_columns`: those of the present spec.

    `switched_off`: reasons to switch operations on that are off, in words.
    """

    snapshots: Sequence[SnapshotInfo]
    partition_columns: tuple[str, ...]
    columns: tuple[str, ...]
    default_expiry: timedelta
    switched_off: tuple[str, ...]


class AdviceService:
    """Gives advice; read-only."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        observations: ObservationService,
        checks: PolicyChecks,
    ) -> None:
        self._database = database
        self._formats = formats
        self._observations = observations
        self._checks = checks

    async def advise(self, caller: Caller, table_id: TableId) -> Advice:
        """Return advice on a table.

        Raises:
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        seen = await self._observations.observe(caller, table_id)
        async with self._database.read() as unit:
            record = await read_upkeep_record(unit, table_id, (), now=await unit.now())
        facts = await self._formats.read(seen.opened.ref, _facts, seen, record)
        since = seen.looked_at - WINDOW
        async with self._database.read() as unit:
            signals = await unit.signals.list(table_id, SignalKind.FILTERS, limit=MOST_SIGNALS)
            reported, scans = await unit.scans.sums(table_id, since), await unit.scans.figures(table_id, since)
            runs = await unit.runs.list_changes(table_id, limit=MOST_RUNS)
            own = await unit.policies.get(table_id)
        queries = [*_queries(signals, since), *_scans(reported)]
        layout = advise_layout(queries, facts.partition_columns, facts.columns)
        writes = _writes(facts.snapshots, runs, since, seen.looked_at)
        expiry, is_assumed = _expiry(seen.policy.values, facts.default_expiry)
        upkeep = advise_upkeep(writes, expiry_seconds=expiry, full_scan_share=layout.full_scan_share)
        upkeep = replace(upkeep, because=(*upkeep.because, *facts.switched_off))
        policy = _with_layout(layout, seen.policy, own.document if own is not None else PolicyDocument())
        if policy is not None and (reason := await self._refusal(seen, own, policy)) is not None:
            layout, policy = replace(layout, because=f"{layout.because}; this table can't have it: {reason}"), None
        return Advice(layout, upkeep, writes, expiry, is_assumed, policy, scans)

    async def _refusal(self, seen: Observed, present: StoredPolicy | None, policy: PolicyDocument) -> str | None:
        """Return the reason for which a `PUT` would refuse the policy; None if it would store it."""
        scope = PolicyScope(PolicyScopeKind.TABLE, table_id=seen.table_id)
        itself = await self._formats.read(seen.opened.ref, TableItself.of, seen.opened)
        try:
            await self._checks.judge(PolicyChange(seen.table_id, scope, present, policy), itself)
        except InvalidInput as error:
            return error.problems[0].message if error.problems else error.message
        return None


def _facts(seen: Observed, record: UpkeepRecord) -> _Facts:
    """Read what advice is based on. Blocks on storage."""
    opened = seen.opened
    specs = opened.partition_specs()
    lines = upkeep_overview(opened, seen.policy, record)
    return _Facts(
        snapshots=opened.snapshots(MOST_SNAPSHOTS),
        partition_columns=tuple(dict.fromkeys(field.column for field in specs[-1].fields)) if specs else (),
        columns=tuple(opened.column_names()),
        default_expiry=timedelta(0) if opened.expiry is None else opened.expiry.default_age,
        switched_off=tuple(_off_words(each) for each in lines if _is_advised(each)),
    )


def _is_advised(line: UpkeepLine) -> bool:
    """Return whether to advise an operation that is off; a search for orphans finds only by running what there is."""
    return line.is_worth_switching_on and line.state.operation is not Operation.REMOVE_ORPHANS


def _off_words(line: UpkeepLine) -> str:
    return f"{line.state.setting} is off; with {json.dumps(line.assumed)}: {line.state.words}"


def _with_layout(advice: LayoutAdvice, policy: EffectivePolicy, own: PolicyDocument) -> PolicyDocument | None:
    """Return the table's own policy with the recommended layout; None without one, or where it holds already."""
    if advice.layout is Layout.UNKNOWN:
        return None
    is_ordered = policy.strategy in ORDERED_STRATEGIES
    ordered_by = {each["name"] for each in policy.order_columns} if is_ordered else set[str]()
    if ordered_by.issuperset(advice.cluster_by) and is_ordered is (advice.layout is Layout.CLUSTER):
        return None
    strategy = Strategy.BINPACK
    if advice.layout is Layout.CLUSTER:
        strategy = Strategy.SORT if len(advice.cluster_by) == 1 else Strategy.HILBERT
    document = own.model_dump(mode="json", exclude_none=True)
    layout = {"strategy": strategy, "columns": list(advice.cluster_by)}
    return PolicyDocument.model_validate({**document, "rewrite": {**document.get("rewrite", {}), **layout}})


def _queries(signals: Iterable[Signal], since: datetime) -> list[tuple[frozenset[str], int]]:
    return [
        (frozenset(query.columns), query.query_count)
        for signal in signals
        if signal.at >= since and isinstance(signal.value, Filters)
        for query in signal.value.queries
    ]


def _scans(reported: Iterable[ScanSums]) -> list[tuple[frozenset[str], int]]:
    return [(each.columns, each.scans) for each in reported if each.columns is not None]


def _writes(snapshots: Sequence[SnapshotInfo], runs: Iterable[Run], since: datetime, now: datetime) -> Writes:
    since_ms = since.timestamp() * 1000
    oldest_ms = min((each.committed_at_ms for each in snapshots), default=since_ms)
    start_ms = max(since_ms, oldest_ms)
    others = [each for each in snapshots if each.committed_at_ms >= start_ms and each.kind is not SnapshotKind.REWRITE]
    return Writes(
        seconds=max(0.0, now.timestamp() - start_ms / 1000),
        ingested_bytes=sum(each.added_bytes for each in others),
        commits=len(others),
        update_commits=sum(each.kind is SnapshotKind.CHANGE for each in others),
        rewritten_bytes=sum(_rewritten(run, start_ms) for run in runs),
    )


def _rewritten(run: Run, start_ms: float) -> int:
    if run.finished_at is None or run.finished_at.timestamp() * 1000 < start_ms:
        return 0
    return run.result.rewritten_bytes


def _expiry(values: Mapping[str, Any], default: timedelta) -> tuple[float, bool]:
    """Return after how many seconds snapshots expire, and True when that is the default (the settings are off)."""
    ages = {"maintenance.expire_snapshots": "older_than", "maintenance.reclaim": "retention"}
    given = [float(values[name][age]) for name, age in ages.items() if isinstance(values.get(name), Mapping)]
    return min(given, default=default.total_seconds()), not given
