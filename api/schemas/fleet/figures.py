"""All tables together on the wire."""

from dataclasses import asdict
from typing import Self

from pydantic import Field

from api.schemas.common import Answer, Instant, Listed
from api.schemas.fleet.limits import Pause
from engine.domain.fleet import figures as domain
from engine.domain.fleet import tables as fleet_tables
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.addresses import written_address
from engine.domain.tables.watches import Verdict


class SmallFileFlow(Answer):
    """Small files that came and went between measurements of the last 24 hours."""

    made: int
    removed: int
    made_per_hour: float
    removed_per_hour: float


class Backlog(Answer):
    """Avoidable files, and how long they take at the rates of the last 24 hours."""

    avoidable_files: int
    eta_seconds: float | None = Field(description="Null: never at these rates, or not known yet; `detail` says why.")
    detail: str


class Races(Answer):
    """File groups of runs that ended in the last 24 hours."""

    groups_committed: int
    groups_lost: int = Field(description="Lost to other writers.")
    conflict_rate: float | None = Field(description="Lost groups of all; null without any.")


class BudgetUse(Answer):
    """Bytes that rewrites read in the last 24 hours, and the limit of the fleet."""

    rewritten_bytes: int
    moved_bytes_limit: int | None = Field(description="The fleet's bandwidth over a day (read + written); null: none.")
    used_share: float | None


class LiveRate(Answer):
    """Current rate of all running rewrites, including those of other teams' tables: the limits cover all of them."""

    catalog: str | None = Field(description="Null: all catalogs.")
    runs: int = Field(description="Runs that report at present.")
    bytes_per_second: float = Field(description="Read + written, over about 10 seconds.")
    bytes_per_second_limit: int | None
    requests_per_second_limit: int | None


class OpenBreaker(Answer):
    """A catalog in which no run starts automatically for now: runs of several tables in a row failed there."""

    catalog: str
    failed_at: Instant = Field(description="Time at which the last run failed.")
    reason: str = Field(description="Of that run.", examples=["gave_up"])
    times_open: int = Field(description="In a row; it stays open twice as long each time, half an hour at most.")
    open_until: Instant = Field(description="Then one run is let through: its success closes the breaker.")
    probe_until: Instant | None = Field(description="Such a run was let through, and has time until then.")


class Fleet(Answer):
    """Sums over the tables that the caller sees. Files and bytes are those of tables that were measured."""

    measured_at: Instant
    tables: int
    paused_tables: int
    measured_tables: int
    file_count: int
    small_file_count: int
    total_bytes: int
    history_bytes: int = Field(
        description="Upper bound of the bytes of files that only old snapshots need, which expiries with "
        "`delete_files` can free."
    )
    live_runs: dict[RunState, int]
    ended_runs: dict[RunState, int] = Field(description="Ended in the last 24 hours.")
    small_files: SmallFileFlow
    backlog: Backlog
    races: Races
    wasted_bytes: int = Field(description="Written and dropped by runs that ended in the last 24 hours.")
    budget: BudgetUse
    pause: Pause | None = Field(description="Null unless all tables are paused.")
    rates: list[LiveRate] | None = Field(
        description="At present: of the fleet, then of each catalog with limits. Null while Redis does not answer."
    )
    breakers: list[OpenBreaker]

    @classmethod
    def from_domain(cls, figures: domain.FleetFigures) -> Self:
        """Return the wire form."""
        pause = None if figures.pause is None else Pause.from_domain(figures.pause)
        breakers = [{name: getattr(each, name) for name in OpenBreaker.model_fields} for each in figures.breakers]
        return cls.model_validate({**asdict(figures), "pause": pause, "breakers": breakers})


class LastRun(Answer):
    """The newest run of a table."""

    id: str = Field(description="The run's id.", examples=["run_01jd2m6v8n4q0x7y3k5r9t1wbz"])
    operation: Operation = Field(description="Operation of the run.")
    state: RunState = Field(description="State of the run.")
    reason: str | None = Field(description="Code of the reason why it ended or waits.")
    created_at: Instant = Field(description="Time of its submission.")
    finished_at: Instant | None = Field(description="Time at which it ended.")


class FleetTable(Answer):
    """A table with its last look, newest measurement and newest run. Figures are null before the first measurement."""

    table_id: str = Field(description="The table's id.", examples=["tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"])
    table: str = Field(description="Address of the table, accepted wherever its id is.", examples=["lake.sales.orders"])
    catalog: str = Field(description="Catalog of the table.", examples=["lake"])
    namespace: list[str] = Field(description="Levels of its namespace, outer first.", examples=[["sales"]])
    name: str = Field(description="Name in its namespace.", examples=["orders"])
    owner_team: str | None = Field(description="Team that owns it; null: none.")
    is_paused: bool = Field(description="True while the table itself is paused.")
    is_frozen: bool = Field(description="True while a failed proof keeps runs from starting.")
    verdict: Verdict = Field(
        description="Result of the last look: `not_due`, `held` (due and held back), `submitted` (a run was started), "
        "`unreachable`, `disabled` by its policy, or `new` (not looked at yet)."
    )
    hold: str | None = Field(
        description="Code of the first thing that holds a due table back; null unless the verdict is `held`.",
        examples=["quiet_hours"],
    )
    detail: str | None = Field(description="The verdict in words, with every hold.")
    due_since: Instant | None = Field(description="Since when a rule has made the table due; null while none does.")
    looked_at: Instant | None = Field(description="Time of the last look by a coordinator; null: never.")
    next_look_at: Instant | None = Field(
        description="Time of the next look by a coordinator; a time in the past means as soon as possible."
    )
    last_run: LastRun | None = Field(description="The run that was submitted last; null: none.")
    measured_at: Instant | None = Field(description="Time of the last measurement of its files.")
    benefit_per_cost: float | None = Field(
        description="Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file "
        "group is committed, by those that its runs committed and lost to other writers in seven days."
    )
    file_count: int | None = Field(description="Data files.")
    small_file_count: int | None = Field(description="Data files below the small-file limit of its policy.")
    avoidable_file_count: int | None = Field(description="Files fewer after a rewrite.")
    total_bytes: int | None = Field(description="Bytes of all data files.")
    history_bytes: int | None = Field(
        description="Upper bound of the bytes of files that only old snapshots need, which an expiry with "
        "`delete_files` can free."
    )
    score: float | None = Field(description="Health score, 0 (worst) to 100.")

    @classmethod
    def from_domain(cls, table: fleet_tables.FleetTable) -> Self:
        """Return the wire form."""
        address = {"catalog": table.ref.catalog, "namespace": list(table.ref.namespace), "name": table.ref.name}
        last_run = None if table.last_run is None else asdict(table.last_run)
        own = {name: getattr(table, name) for name in fleet_tables.FleetTable.__slots__ if name in cls.model_fields}
        return cls.model_validate({**own, **address, "table": written_address(table.ref), "last_run": last_run})


class FleetTableList(Listed[FleetTable, fleet_tables.FleetTable]):
    """Tables in the order of `sort`; those without a value of the sort key are last."""

    items: list[FleetTable] = Field(description="Tables of the page.")
