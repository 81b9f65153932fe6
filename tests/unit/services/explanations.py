"""Tables in many situations, for tests of explain's summary. Run as a module to write the golden texts again.

.venv/bin/python -m tests.unit.services.explanations
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from engine.domain.fleet.breakers import Breaker
from engine.domain.fleet.endpoints import SparkEndpoint
from engine.domain.fleet.limits import AtWork, CatalogLimits, FleetLimits, FleetRow
from engine.domain.ids import RunId, TableId
from engine.domain.policies import EffectivePolicy, PolicyDocument, Windows, effective_policy
from engine.domain.remedies import Statement
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.orders import OrderField, RequestedOrder, RowOrdering
from engine.domain.tables.table import Pause, Table, TableRef
from engine.domain.tables.watches import Verdict, Watch
from engine.domain.values.partitions import TimeUnit
from engine.formats.base import Condition, NoParts
from engine.planning.due.evaluations import evaluate_policy
from engine.planning.measures.digest import PartitionTime, TableMeasures
from engine.planning.measures.health import health
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.measures.partition_metrics import RewriteHistory
from engine.planning.plans.file_groups import make_plan
from engine.planning.predictions.run_statistics import RunStatistics
from engine.services.explain.facts import Facts, RecordFacts, Sight
from engine.services.explain.summary import summarize
from engine.services.explain.timing import eligibility
from engine.services.planning.planner import plan_due
from engine.services.planning.trials import Trial
from engine.services.runs.budgets import DayBudget
from engine.stores.runs.histories import Conflict, TableRaces
from tests.support.digests import DigestFile, digest_of, inputs_of
from tests.support.planning import chosen_of

FOLDER: Final = Path(__file__).parents[2] / "data" / "explanations"
RUN: Final = RunId("run_7")
NOW: Final = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MIB: Final = 2**20
TABLE: Final = Table(
    TableId("tbl_orders"), TableRef("lake", ("sales",), "orders"), "uuid", "s3://lake/orders", "sales", NOW
)
HOLDS: Final = (Condition("parquet_only", True, "all files are Parquet"), Condition("not_encrypted", True, "none is"))
REFUSED: Final = (*HOLDS, Condition("no_equality_deletes", False, "3 equality-delete files are live"))
RECORD: Final = RecordFacts(
    now=NOW,
    table=TABLE,
    fleet=FleetRow(1, NOW, "system", FleetLimits()),
    live=(),
    ended=(),
    conflicts=(),
    signals=(),
    measurement=None,
    watch=Watch(
        TABLE.id, 0.5, NOW + timedelta(minutes=1), 120, "v7.json", NOW - timedelta(minutes=1), verdict=Verdict.NOT_DUE
    ),
    is_watched=True,
    endpoints=(SparkEndpoint("default", 1, {}),),
)


def ago(**time: float) -> datetime:
    return NOW - timedelta(**time)


def a_run(state: RunState, **changes: Any) -> Run:
    run = Run(RunId("run_7"), TABLE.id, Operation.REWRITE, state, "key:airflow", ago(hours=2), ago(hours=1))
    return replace(run, **changes)


def day(number: int, count: int, size: int = MIB, *, hours: float = 30) -> list[DigestFile]:
    added = round(ago(hours=hours).timestamp() * 1000)
    return [DigestFile(size, f'{{"day":"2026-11-{number:02}"}}', added_at_ms=added) for _ in range(count)]


DUE: Final = day(19, 40) + day(20, 25)
FEW: Final = day(19, 12) + day(20, 6)
FAILED: Final = a_run(
    RunState.FAILED,
    reason="groups_failed",
    detail="1 of 2 groups failed: s3://lake/orders/data/1.parquet: access denied",
    started_at=ago(hours=2),
    finished_at=ago(hours=1),
)
DONE: Final = a_run(
    RunState.SUCCEEDED,
    reason="committed",
    started_at=ago(minutes=4),
    finished_at=ago(minutes=1),
    result=RunResult({"rewritten_files": 65, "added_files": 2, "input_bytes_per_second": 40e6}),
)


def situation(
    files: Sequence[DigestFile] = (),
    policy: dict[str, Any] | None = None,
    *,
    conditions: Sequence[Condition] = HOLDS,
    blocked: tuple[str, str] | None = None,
    day: DayBudget | None = None,
    figures: TableMeasures | None = None,
    **record: Any,
) -> Facts:
    """Return the facts of a table with these files under this policy; `record` replaces what the record says."""
    effective = effective_policy(table_properties={}, own=PolicyDocument.model_validate(policy or {}))
    changed = (run for run in record.get("ended", ()) if run.state is RunState.SUCCEEDED)
    known = replace(RECORD, last_rewrite=next(changed, None), **record)
    sight = Sight(blocked=Statement(*blocked)) if blocked else _seen(files, effective, conditions, known, figures)
    return Facts(
        record=known,
        policy=effective,
        windows=Windows.of(effective).state_at(NOW),
        day=day or DayBudget(None, None, None),
        sight=sight,
    )


def _seen(
    files: Sequence[DigestFile],
    policy: EffectivePolicy,
    conditions: Sequence[Condition],
    record: RecordFacts,
    figures: TableMeasures | None,
) -> Sight:
    digest = digest_of(files)
    given = {"base_snapshot_id": 1, "schema_id": 0, "inputs_of": inputs_of(digest), "known": RunStatistics()}
    plan = make_plan(digest, policy=policy, hot=record.hot, **given)
    now_ms = round(NOW.timestamp() * 1000)
    evaluation = evaluate_policy(
        digest, figures or TableMeasures(), RewriteHistory(), policy, now_ms=now_ms, hot=record.hot
    )
    small, large = (policy.bytes_of(f"rewrite.{name}_file_bytes") for name in ("small", "large"))
    found = health(digest, small_bytes=small or 0, large_bytes=large, current_spec_id=0)
    due = plan_due(chosen_of(Opened(digest), policy), evaluation, record.known, record.hot)
    return Sight(Trial(conditions, plan), evaluation, found, due=due)


@dataclass(frozen=True)
class Opened(NoParts):
    """As much of an open table as planning asks for."""

    files: pa.Table
    head_snapshot_id: int = 1
    schema_id: int = 0

    def digest(self) -> pa.Table:
        return self.files

    def column_names(self) -> Sequence[str]:
        return ()

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        return inputs_of(self.files)(paths)

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        fields = enumerate(requested.columns, start=1)
        return RowOrdering(requested.strategy, tuple(OrderField(column.name, at) for at, column in fields))

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        return ()


def _quiet(**more: Any) -> dict[str, Any]:
    window = {"days": ["sat"], "from": "09:00", "to": "17:00", "time_zone": "Europe/Berlin"}
    return {"quiet_hours": [window], **more}


_TWENTY: Final = {"name": "twenty", "all": [{"metric": "small_file_count", "at_least": 20}]}
_BLACKOUT: Final = {"from": "2026-11-20", "to": "2026-11-24", "time_zone": "UTC", "reason": "year-end close"}
_MEASURED: Final = Measurement(TABLE.id, "1", ago(days=1), 312, 290, 280, 5 * 2**30, 41.0, 2.0, {})
_LONG: Final = replace(TABLE, ref=TableRef("lake", ("n" * 120,), "t" * 200))
_BUDGET: Final = DayBudget(10 * MIB, 0, NOW + timedelta(hours=5))

SITUATIONS: Final[dict[str, Callable[[], Facts]]] = {
    "due": lambda: situation(DUE, ended=(replace(DONE, started_at=ago(hours=3), finished_at=ago(hours=2)),)),
    "not_due": lambda: situation(FEW, {"triggers": [_TWENTY]}),
    "never_due": lambda: situation(day(18, 4) + FEW, {"triggers": [_TWENTY], "rewrite": {"min_input_files": 5}}),
    "settles": lambda: situation(day(19, 12, hours=0.5)),
    "never_rewritten_upsolver": lambda: situation(FEW, {"preset": "upsolver"}),
    "disabled": lambda: situation(DUE, {"enabled": False}),
    "paused": lambda: situation(
        DUE,
        table=replace(TABLE, pause=Pause(ago(hours=5), "key:ops", "migration", stops=True)),
        fleet=FleetRow(1, NOW, "x", FleetLimits(), Pause(ago(hours=1), "key:chief", "incident 12", stops=False)),
    ),
    "paused_catalog": lambda: situation(
        DUE, catalog_pause=Pause(ago(minutes=20), "key:chief", "maintenance of the storage", stops=False)
    ),
    "quiet_hours": lambda: situation(DUE, _quiet()),
    "before_quiet_hours": lambda: situation(
        DUE, {"quiet_hours": [{"from": "18:00", "to": "06:00"}], "schedule": {"cron": "30 3 * * *"}}
    ),
    "blackout": lambda: situation(DUE, {"blackouts": [_BLACKOUT]}),
    "unreachable": lambda: situation(
        blocked=("unavailable", "catalog 'lake' did not answer within 60 seconds"), measurement=_MEASURED, ended=(DONE,)
    ),
    "replaced": lambda: situation(
        blocked=(
            "table_replaced",
            (
                "table lake.sales.orders was dropped and created again: it is uuid-2 now and was uuid-1 when it was "
                "registered; no run changes it until its registration is deleted and it is registered again"
            ),
        )
    ),
    "empty": situation,
    "not_watched": lambda: situation(DUE, is_watched=False),
    "due_in_part": lambda: situation(DUE + day(18, 6)),
    "due_in_full": lambda: situation(DUE, {"rewrite": {"full": {"interval": "7d"}}}),
    "due_later": lambda: situation(
        FEW, {"triggers": [{"name": "old", "all": [{"metric": "newest_file_age", "at_least": "2d"}]}]}
    ),
    "catalog_full": lambda: situation(
        DUE,
        fleet=FleetRow(1, NOW, "x", FleetLimits(parallel_runs=9, catalogs={"lake": CatalogLimits(parallel_runs=2)})),
        fleet_at_work=AtWork({"lake": 2, "archive": 4}),
    ),
    "runs_in_vain": lambda: situation(
        DUE, ended=(replace(FAILED, finished_at=ago(minutes=2)), FAILED, replace(DONE, started_at=ago(hours=5)))
    ),
    "refused": lambda: situation(DUE, conditions=REFUSED),
    "conflicts": lambda: situation(
        DUE,
        live=(
            a_run(
                RunState.QUEUED,
                waiting_for=WaitingFor.CONFLICT_BACKOFF,
                not_before=NOW + timedelta(minutes=1),
                reason="conflict",
                detail="other writers replaced all inputs; next plan, in smaller file groups, after 60 s",
                attempt=1,
                started_at=ago(hours=1),
            ),
        ),
        conflicts=[Conflict(RunId("run_7"), ago(minutes=2), 2, "gone")] * 3,
    ),
    "cooling_down": lambda: situation(
        DUE,
        hot=HotPartitions.at(
            NOW,
            [
                HotPartition(
                    (0, f'{{"day":"2026-11-{number}"}}'), losses, ago(minutes=2), until, 3 * MIB, "gone", RUN, 1
                )
                for number, losses, until in ((19, 3, NOW + timedelta(minutes=18)), (20, 1, NOW + timedelta(minutes=3)))
            ],
        ),
        conflicts=[Conflict(RUN, ago(minutes=2), 2, "gone")] * 4,
        races=TableRaces(9, 8, 6 * MIB),
    ),
    "after_lost_races": lambda: situation(
        day(19, 60, 24 * MIB) + day(20, 25),
        hot=HotPartitions.at(
            NOW, [HotPartition((0, '{"day":"2026-11-19"}'), 3, ago(hours=1), ago(minutes=40), 3 * MIB, "gone", RUN, 1)]
        ),
    ),
    "catalog_fails": lambda: situation(
        DUE,
        breaker=Breaker("lake", ago(minutes=1), "gave_up", (TABLE.id,), 2, NOW + timedelta(minutes=1)),
    ),
    "new_table": lambda: situation(DUE, watch=replace(RECORD.watch, grace_until=NOW + timedelta(minutes=11))),
    "group_below_target": lambda: situation(DUE, {"rewrite": {"max_group_bytes": "16MiB"}}),
    "at_work": lambda: situation(
        DUE, live=(a_run(RunState.REWRITING, attempt=2, started_at=ago(minutes=1), updated_at=ago(minutes=1)),)
    ),
    "urgent": lambda: situation(DUE, live=(a_run(RunState.QUEUED, urgent_at=ago(minutes=1)),)),
    "just_done": lambda: situation(day(19, 1, 128 * MIB), ended=(DONE,)),
    "failed": lambda: situation(DUE, ended=(FAILED,)),
    "budget_used": lambda: situation(DUE, {"limits": {"bytes_per_day": "10MiB"}}, day=_BUDGET),
    "not_sealed": lambda: situation(
        day(21, 40, hours=0.5),
        {"seal": {"after": "1h"}},
        figures=TableMeasures(times={0: PartitionTime("day", TimeUnit.DAY)}),
    ),
    "no_triggers": lambda: situation(DUE, {"triggers": [], "rewrite": {"full": {"size_amplification_percent": "off"}}}),
    "long_names": lambda: situation(
        [DigestFile(MIB, f'{{"key":"{"ä" * 300}"}}') for _ in range(30)],
        {"triggers": [{"name": "n" * 64, "all": [{"metric": "file_count", "at_least": n}]} for n in (1,)]},
        table=_LONG,
    ),
    "everything_at_once": lambda: situation(
        DUE,
        _quiet(preset="upsolver", enabled=False, blackouts=[_BLACKOUT], limits={"bytes_per_day": "10MiB"}),
        conditions=REFUSED,
        day=_BUDGET,
        table=replace(TABLE, pause=Pause(ago(hours=5), "key:ops", "migration", stops=True)),
        ended=(FAILED,),
        conflicts=[Conflict(RunId("run_7"), ago(minutes=2), 2, "gone")],
    ),
}
GOLDEN: Final = (
    "due",
    "not_due",
    "never_due",
    "just_done",
    "not_sealed",
    "paused",
    "conflicts",
    "cooling_down",
    "unreachable",
    "everything_at_once",
)
"""Situations whose whole text is compared; `test_explain_sentences` has the sentences that distinguish the others."""


def summary(name: str) -> str:
    """Return the summary of a situation."""
    facts = SITUATIONS[name]()
    return "\n".join(each.text for each in summarize(facts, eligibility(facts))) + "\n"


def sentences(facts: Facts) -> list[str]:
    """Return the texts of the summary of facts."""
    return [each.text for each in summarize(facts, eligibility(facts))]


if __name__ == "__main__":
    for each in GOLDEN:
        (FOLDER / f"{each}.txt").write_text(summary(each), encoding="utf-8")
