"""The explanation of a table on the wire: why it did or did not run, and what a run would do now."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, Partition
from api.schemas.remedies import Statement
from api.schemas.runs.figures import Calibration, PlannedLater, Prediction, TimeEstimate
from api.schemas.runs.run import Run
from api.schemas.tables.due import NeverDue
from api.schemas.tables.table import Condition
from engine.domain.policies import OnStart, WindowKind
from engine.domain.runs import run as domain
from engine.domain.tables.signals import SignalValue
from engine.domain.tables.watches import Verdict


class ExplainedSetting(Answer):
    """One setting that holds for the table."""

    value: Any = Field(description="As policies write it; sizes in bytes.", examples=["6h"])
    origin: str = Field(description="Layer that sets it.", examples=["namespace lake.sales"])


class ExplainedPartition(Answer):
    """A partition, with its size."""

    spec_id: int
    partition: Partition
    file_count: int
    total_bytes: int


class ExplainedCondition(Answer):
    """One condition of a rule, measured in the rule's `partition`."""

    metric: str = Field(examples=["small_file_count"])
    unit: Literal["count", "ratio", "bytes", "seconds", "percent"]
    operator: Literal["at_least", "above", "at_most", "below"]
    wanted: float
    measured: float | None = Field(description="Null: nothing to measure, or it never happened; see `detail`.")
    is_lower_bound: bool = Field(
        description="The true value may be greater: the history does not reach back far enough."
    )
    holds: bool = Field(description="Whether the comparison is true.")
    is_negated: bool = Field(
        description="The condition is below `not`: the rule needs the comparison to be false. Where nothing can be "
        "measured neither the comparison nor its opposite counts as true."
    )
    path: str = Field(
        description="Place of the condition in the rule, as a JSON pointer.", examples=["/all/0", "/any/1/not"]
    )
    detail: str | None


class ExplainedRule(Answer):
    """One rule of the policy. `partition`: the busiest due partition, otherwise the one nearest to being due."""

    name: str = Field(examples=["many small files"])
    kind: Literal["trigger", "full"] = Field(description="`full`: a setting of `rewrite.full`.")
    due: bool
    due_partitions_total: int
    due_partitions: list[ExplainedPartition] = Field(description="The first twenty, most small files first.")
    held_back: dict[str, int] = Field(description="Partitions for which it holds, by what keeps them from being due.")
    partition: ExplainedPartition | None = Field(description="Null for a rule on the table as a whole.")
    conditions: list[ExplainedCondition]


class ExplainedSeal(Answer):
    """Partitions by the policy's `seal`."""

    is_on: bool
    sealed_partitions: int
    unsealed_partitions: int
    next_sealed_at: Instant | None = Field(description="If nothing more is written.")


class ExplainedTriggers(Answer):
    """Every rule, judged now; any of them makes the table due."""

    rules: list[ExplainedRule]
    seal: ExplainedSeal
    never_due: NeverDue = Field(description="Avoidable files that no rule makes due.")
    advice: list[Statement] = Field(
        description="Advice if a tenth of the data files or more would never be due; otherwise empty."
    )


class Hold(Statement):
    """One thing that holds the table back: its `text` names what would end it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "code": "quiet_hours",
                    "text": "Quiet hours: 22:00 to 06:00 (UTC).",
                    "values": {},
                    "remedy": None,
                    "until": "2026-11-01T06:00:00Z",
                    "holds_requests": True,
                }
            ]
        }
    )

    until: Instant | None = Field(description="Null: its end is not known.")
    holds_requests: bool = Field(description="True: a run that is requested now waits for its end as well.")


class UpkeepFields(Answer):
    """Fields of an operation besides `rewrite` in explanations and in the overview of upkeep."""

    operation: domain.Operation
    setting: str = Field(description="The setting that switches it on.", examples=["maintenance.expire_snapshots"])
    due: bool = Field(description="True: a run of it starts automatically once nothing holds the table back.")
    due_at: Instant | None = Field(
        description="Time at which it is due if nothing more is written; null: not without further writes."
    )
    detail: str = Field(description="Effect of a run now, or the reason why there can be none.")
    blocked: str | None = Field(description="Code of the reason why there can be no run of it; null: there can.")
    conditions: list[ExplainedCondition] = Field(
        description="Conditions of the setting's `when`, measured on the whole table: when all hold, a run may start "
        "before the interval has passed."
    )


class ExplainedUpkeep(UpkeepFields):
    """An operation besides `rewrite` that the policy has switched on, and whether it is due."""

    held_by: list[Hold] = Field(
        description="What holds its next automatic run back; `grace`: its deletion is announced, and starts at `until`."
    )


class NextEligible(Answer):
    """Earliest start of a run: the latest end of everything that holds it back, now if nothing does."""

    at: Instant | None = Field(description="Null when it is not known: see `because`.")
    because: Statement | None = Field(description="Why it is not known: the first hold without an end.")
    held_by: list[Hold]


class ExplainedWindows(Answer):
    """Quiet hours and blackouts: how things stand now, and when the next window begins."""

    inside: bool
    kind: WindowKind | None
    on_start: OnStart | None
    ends_at: Instant | None
    reason: str | None
    next_start: Instant | None


class ExplainedPause(Answer):
    """An active pause. `stops`: running work is interrupted; otherwise groups in flight finish."""

    scope: Literal["fleet", "catalog", "table"]
    at: Instant
    by: str
    reason: str
    stops: bool


class Rates(Answer):
    """Rates to hold; null is unlimited."""

    bytes_per_second: float | None
    requests_per_second: float | None


class ExplainedDay(Answer):
    """Bytes of inputs in rolling 24 hours; null is unlimited."""

    limit: int | None
    used: int | None
    remaining: int | None
    frees_at: Instant | None = Field(description="Time at which the oldest of the used bytes are 24 hours old.")


class RunsAtOnce(Answer):
    """Runs that workers hold, and how many there may be; null is unlimited."""

    limit: int | None
    at_work: int


class ExplainedParallelRuns(Answer):
    """Number of running runs in the whole fleet and in the table's catalog."""

    fleet: RunsAtOnce
    catalog: RunsAtOnce


class ExplainedBudgets(Rates):
    """Budget of a run: the strictest limits of its table, catalog and fleet, while no other run is active."""

    policy: Rates
    fleet_share: Rates = Field(description="Equal share of the limits of catalog and fleet, regardless of other runs.")
    parallel_groups: int
    fleet_parallel_groups: int | None
    parallel_runs: ExplainedParallelRuns
    bytes_per_day: ExplainedDay


class ExplainedSchedule(Answer):
    """Times at which the policy has the table looked at."""

    min_interval_seconds: int | None
    last_start_at: Instant | None
    cron: str
    time_zone: str
    cron_next_at: Instant | None


class ExplainedWatch(Answer):
    """State of the coordinator's watch over the table, and the verdict of its last look."""

    next_look_at: Instant
    looked_at: Instant | None = Field(description="Null: not yet.")
    changed_at: Instant | None = Field(description="Time at which a look found a new commit.")
    due_since: Instant | None = Field(description="Since when looks have found a rule due; null while none is.")
    interval_seconds: int = Field(description="Between looks: longer while nothing changes.")
    verdict: Verdict
    code: str | None = Field(description="Reason why it was held back or could not be read.", examples=["table_paused"])
    detail: str | None


class HotPartition(Answer):
    """A partition whose last race against other writers was lost."""

    spec_id: int
    partition: Partition
    losses: int = Field(description="Attempts in a row that lost groups of it.")
    lost_at: Instant
    cools_until: Instant = Field(description="Runs leave it alone until then, unless they are forced.")
    is_cooling: bool
    reason: str = Field(examples=["source_gone"])
    run_id: str = Field(description="The run that lost last.")
    wasted_bytes: int = Field(description="Bytes that these attempts wrote and discarded.")
    max_group_bytes: int = Field(description="Size limit of its file groups, halved for each lost race.")


class OtherCompactor(Answer):
    """Another program that replaced data files of the table in the last day, from the table's history."""

    engine: str = Field(examples=["spark 3.5.1"])
    application: str | None = Field(description="Application of the last snapshot; null when it did not name itself.")
    count: int = Field(description="Number of its snapshots that replaced files, among the newest two hundred.")
    last_at: Instant


class ExplainedConflicts(Answer):
    """File groups that runs of the table lost to other writers lately."""

    days: int
    count: int
    lost_groups: int
    committed_groups: int = Field(description="Of runs that ended in these days, the newest hundred at most.")
    conflict_rate: float | None = Field(description="Lost file groups of all that these runs tried to commit.")
    wasted_bytes: int = Field(description="Bytes that these runs wrote and discarded.")
    last_at: Instant | None
    last_reason: str | None
    cooling_until: Instant | None = Field(description="A run that lost everything waits until then.")
    hot_partitions_total: int = Field(description="Partitions whose last race was lost.")
    cooling_partitions_total: int = Field(
        description="Number of partitions that runs skip now because they lost races."
    )
    hot_partitions: list[HotPartition] = Field(description="The first twenty, those that cool down longest first.")
    other_compactors: list[OtherCompactor] = Field(
        description="Two compactors on the same partitions make each other's commits fail; empty while the table "
        "can't be read."
    )


class Cost(Answer):
    """Bytes and requests of a run that starts now."""

    files: int
    bytes_read: int
    bytes_written: int
    requests: int = Field(description="To an object store, about.")
    seconds: float = Field(description="At work, without waiting.")
    ends_at: Instant | None = Field(
        description="Time at which a run requested now would end if a worker claimed it at once, with the windows that "
        "stop it. Null: held back without a known end."
    )


class RunNow(Answer):
    """Outcome of a run that starts now. `unknown`: the table can't be read, `because` has the reason."""

    outcome: Literal["rewrite", "nothing_to_do", "refused", "disabled", "unknown"]
    because: Statement | None = None
    base_snapshot_id: str | None = None
    schema_id: int | None = None
    plan_hash: str | None = None
    prediction: Prediction | None = None
    calibration: Calibration | None = None
    time_estimate: TimeEstimate | None = Field(
        default=None, description="Measurements from which its time was predicted."
    )
    prediction_errors: dict[str, float] = Field(
        default={},
        description="Median error of the predictions of the last runs, by figure: 0.1 is 10 %.",
    )
    cost: Cost | None = None
    groups_total: int | None = None
    deferred_groups: int | None = Field(
        default=None,
        description="File groups of the plan that are left for later: they exceed the rest of `limits.bytes_per_day`.",
    )
    shrunk_partitions: int | None = Field(
        default=None, description="Partitions with smaller groups than the policy's, after lost races."
    )
    unordered_files: int | None = Field(
        default=None, description="Files that are not in the order that the policy requests. Null: it requests none."
    )
    reordered_files: int | None = Field(
        default=None, description="Files of the plan that are candidates only because of the order."
    )
    moved_files: int | None = Field(
        default=None, description="Files of the plan whose rows move to the partitions of the current spec."
    )
    later: PlannedLater | None = None
    skipped_total: int | None = None
    skipped_reasons: dict[str, int] = Field(default={}, description="Skipped partitions by reason.")


class EndedRun(Answer):
    """A run that ended, with its reason."""

    id: str
    operation: domain.Operation
    state: domain.RunState
    reason: str | None
    words: str | None = Field(description="The reason in words.")
    detail: str | None
    requested_by: str
    started_at: Instant | None
    finished_at: Instant | None
    rewritten_files: int | None
    added_files: int | None


class HealthFigures(Answer):
    """Figures of the files, as they were measured last."""

    measured_at: Instant
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int
    score: float


class ExplainedSignal(Answer):
    """A signal of another system that counts for the table."""

    table_id: str | None = Field(description="Null: it is about the whole fleet.")
    at: Instant = Field(description="Time at which it was received.")
    sent_by: str
    signal: SignalValue = Field(description="What it says.")


class Explanation(Answer):
    """Explanation of a table: its last rewrites, whether it is due, what holds it back, and the effect of a run now.

    `triggers`, `due`, `eligible` and the plan in `now` are null or absent while the table can't be read.
    """

    table_id: str
    table: str = Field(examples=["lake.sales.orders"])
    explained_at: Instant
    summary: list[Statement] = Field(
        description="The answer for people, most important first: at most 24 statements. The `code` of each is the "
        "part of this document that it is about; `values` are empty where that part has them."
    )
    due: bool | None = Field(
        description="Whether a rule makes it due now: then a run starts automatically once nothing holds it back."
    )
    would_start_by_itself: bool = Field(
        description="Whether runs of it start automatically at all: its policy is enabled and a coordinator watches it."
    )
    starts: Statement = Field(
        description="Whether and when a run starts automatically: `due`, `not_due`, or the code of what prevents it."
    )
    starts_at: Instant | None = Field(
        description="About when a run starts automatically if nothing more is written. Null: none does in the "
        "current state."
    )
    watch: ExplainedWatch | None
    eligible: bool | None = Field(description="Whether the table can be rewritten: every condition holds.")
    conditions: list[Condition]
    next_eligible: NextEligible
    triggers: ExplainedTriggers | None
    upkeep: list[ExplainedUpkeep] = Field(description="Operations besides `rewrite` that the policy has switched on.")
    windows: ExplainedWindows
    pauses: list[ExplainedPause]
    budgets: ExplainedBudgets
    schedule: ExplainedSchedule
    conflicts: ExplainedConflicts
    now: RunNow
    live_run: Run | None
    last_run: Run | None
    last_runs: list[EndedRun] = Field(description="The last five, newest first.")
    signals: list[ExplainedSignal] = Field(description="The newest of each kind, about the table and about the fleet.")
    health: HealthFigures | None
    settings: dict[str, ExplainedSetting]

    @classmethod
    def from_domain(cls, explanation: Mapping[str, Any]) -> Self:
        """Return the wire form."""
        live, last = explanation["live_run"], explanation["last_run"]
        return cls.model_validate(
            {
                **explanation,
                "live_run": None if live is None else Run.from_domain(live),
                "last_run": None if last is None else Run.from_domain(last),
            }
        )
