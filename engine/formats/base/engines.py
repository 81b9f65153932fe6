"""The engines that can rewrite a table: Packhouse's kernel, and a library or a procedure of the table's format.

A call of a procedure commits on its own and can't sign its snapshot, so its result is identified by its changes: a
snapshot after the planned one that replaced files of exactly one planned partition.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

import pyarrow as pa

from engine.domain.errors import FieldProblem
from engine.domain.policies import DEFAULTS, OFF, EffectivePolicy, Strategy
from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.formats.base.commits import Verification
from engine.formats.base.views import Condition
from engine.planning.plans.groupings import PACKED, Grouping, MergedRuns, WholeUnits
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.rewriting.kernel.contract import EngineTask, WriteSettings

BY_METADATA: Final = "metadata"
_KNOWN_TO_IT: Final = frozenset({"default", "table property"})
"""Origins of settings that an engine knows without an option."""

_REWRITE: Final = "rewrite."
_FOLLOWED: Final = frozenset(
    f"{_REWRITE}{each}"
    for each in (
        *("columns", "deletes.files", "deletes.ratio", "deletes.remove_dangling", "engine", "full.always_below_bytes"),
        *("full.eligibility", "full.interval", "full.size_amplification_percent", "full.when_increment_above_bytes"),
        *("key", "key_tables.forced_every", "key_tables.lookup", "key_tables.sorted_run_trigger", "large_file_bytes"),
        "key_tables.stop_trigger",
        *("max_group_bytes", "max_ordered_bytes", "max_time_span", "min_input_files", "order_bins_by", "output_spec"),
        *("small_file_bytes", "small_row_group_bytes", "strategy", "target_file_bytes", "tiers"),
    )
)
"""Settings of `rewrite` that apply with every engine: planning follows or checks them, or each engine has an option."""

_OF_CHOSEN_FILES: Final = frozenset({f"{_REWRITE}exclude_above_bytes"})
"""Settings that also apply where an engine merges no other files than planning chose for a group."""


@dataclass(frozen=True, slots=True)
class NativeChange:
    """A snapshot that replaced data files of one partition, and all files that it removed and added there.

    `application`: the Spark application that committed it, None if not in its summary. `rows_deleted`: removed minus
    added rows. `rows_known`: number of rows deleted by the removed files' deletes, None if metadata has only a bound.
    """

    snapshot_id: int
    parent_id: int
    place: Place
    inputs: tuple[InputFile, ...]
    outputs: tuple[OutputFile, ...]
    application: str | None
    rows_known: int | None

    @property
    def input_bytes(self) -> int:
        """Bytes of the removed files."""
        return sum(file.file_bytes for file in self.inputs)

    @property
    def output_bytes(self) -> int:
        """Bytes of the added files."""
        return sum(file.file_bytes for file in self.outputs)

    @property
    def rows_deleted(self) -> int:
        """Rows of the removed files that are in none of the added ones."""
        return sum(file.record_count for file in self.inputs) - sum(file.record_count for file in self.outputs)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows of a partition with all deletes applied, before and after a snapshot."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ProcedureSettings:
    """Settings of a call besides the plan's limits: most concurrent tasks; `full`: rewrite also well-formed files."""

    tasks: int
    full: bool


class Engine(StrEnum):
    """Values of `rewrite.engine` besides `auto`."""

    ARROW = "arrow"
    """Packhouse's kernel."""

    NATIVE = "native"
    """The library or the procedure of the table's format."""


@dataclass(frozen=True, slots=True)
class EngineTraits:
    """Properties of an engine on one table: its name in sentences, its file groups, and what it follows of a policy.

    `is_paced`: its tasks hold a run's rates; otherwise it is only admitted where it fits under them. `reports_bytes`:
    its tasks report what they move while they work, so that a stall is seen. `checks_rows`: its tasks compare rows as
    `verification` asks for, without those of `check_limit`. `by_property`: settings without an option, each with the
    table property that it goes by instead. `is_only`: no other engine can rewrite the table, whatever its files are.
    `at_once`: the most groups of a run that it rewrites at a time; None: as the policy says.
    """

    name: Engine
    label: str
    grouping: Grouping
    strategies: frozenset[Strategy]
    is_paced: bool
    reports_bytes: bool = False
    checks_rows: bool = False
    check_limit: str = ""
    by_property: Mapping[str, str] = field(default_factory=dict)
    is_only: bool = False
    at_once: int | None = None

    def unfollowed(self, policy: EffectivePolicy) -> list[str]:
        """Return the dotted names of the settings of `rewrite` that a policy sets and the engine ignores, sorted."""
        followed = _FOLLOWED if isinstance(self.grouping, WholeUnits | MergedRuns) else _FOLLOWED | _OF_CHOSEN_FILES
        return sorted(
            name
            for name, value in policy.values.items()
            if name.startswith(_REWRITE)
            and name not in followed
            and policy.origins.get(name, "default") not in _KNOWN_TO_IT
            and value != OFF
        )

    def verifies(self, mode: str) -> bool:
        """Return whether its rewrites can be verified as `verification` asks for."""
        return mode == BY_METADATA or self.checks_rows

    def problems(self, policy: EffectivePolicy) -> Iterator[FieldProblem]:
        """Yield one problem for each setting because of which no engine would rewrite the table.

        There are none while the kernel may be able to rewrite it, which depends on its files. Strategies of an engine
        are in the capabilities of the format.
        """
        is_asked_for = policy.requested_engine == "native"
        if not is_asked_for and not self.is_only:
            return
        why = "rewrite.engine is native" if is_asked_for else "the only engine for this table"
        message = f"is not supported by {self.label} ({why})"
        for name in self.unfollowed(policy):
            if name in self.by_property:
                remedy = f"set the table property {self.by_property[name]} instead"
            else:
                remedy = f"set it to {OFF!r}" if DEFAULTS.get(name) == OFF else "leave it out"
            yield _problem(name, message, policy, remedy)
        if not self.verifies(policy.verification):
            proven = f"{message}, whose rewrites are proven from metadata"
            yield _problem("verification", proven, policy, f"set it to {BY_METADATA!r}")


KERNEL_TRAITS: Final = EngineTraits(
    Engine.ARROW,
    "Packhouse's kernel",
    PACKED,
    frozenset(Strategy),
    is_paced=True,
    reports_bytes=True,
    checks_rows=True,
)
"""The kernel on tables whose format has no rules of its own for file groups."""


class NativeProcedure(Protocol):
    """A procedure of a table's format, which commits on its own. All calls may block."""

    def spark_table(self) -> SparkTable:
        """The table's identifier in Spark. Raises `NotEligible` when its catalog has no name there."""

    def partition_tests(self, place: Place) -> Sequence[PartitionTest]:
        """Return the tests that select one partition; none for an unpartitioned table."""

    def call(self, group: FileGroup, limits: RewriteLimits, settings: ProcedureSettings) -> ProcedureCall:
        """Return the call that rewrites the partition of a group."""

    def is_conflict(self, failure: str) -> bool:
        """Return whether a failed call lost to another writer, by the text of its failure on Spark."""

    def changes(self, base_snapshot_id: int, places: Sequence[Place]) -> Sequence[NativeChange]:
        """Return replacements in these partitions since a base, other than Packhouse's commits, oldest first.

        Reloads the table.

        Raises:
            CommitConflict: the base is no longer in the history of the main branch.
        """

    def prove(self, change: NativeChange, counted: RowCounts | None) -> Verification:
        """Verify a change from the table's metadata, and from counted rows where metadata is not sufficient."""


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """A run's settings for each file group: how outputs are written, in which order, how far sorted runs are merged.

    `full`: all sorted runs of a bucket; otherwise as many as the format's rules select from `sorted_run_trigger` on.
    Of a bucket that was planned with fewer of them, the new rows are merged whatever these rules say.
    `gentle_every`: the number of compactions by one writer after which the new rows are merged below the trigger too;
    None: each compaction merges them.
    `checks_rows`: the task of the group compares the rows of its inputs and outputs. `key`: rows are merged by it, only
    in tables with a `OpenTable.key_condition`.
    """

    write: WriteSettings
    order: RowOrdering | None = None
    full: bool = False
    sorted_run_trigger: int = 5
    gentle_every: int | None = None
    checks_rows: bool = False
    key: DeclaredKey | None = None


class RewriteEngine(Protocol):
    """An engine on one open table. All calls may block."""

    @property
    def traits(self) -> EngineTraits:
        """Properties of the engine on this table."""

    @property
    def procedure(self) -> NativeProcedure | None:
        """The procedure that the engine is, which commits on its own; None: it rewrites in tasks."""

    def conditions(
        self, order: RequestedOrder | None = None, *, moves_to_current_spec: bool = False
    ) -> Sequence[Condition]:
        """Return every condition of the engine for this table, met or not.

        Includes those of `order`, and of moving rows of older partition specs to the current one.
        """

    def digest(self) -> pa.Table:
        """Return the files to plan with: `OpenTable.digest`, and no file that this engine can read is out of reach."""

    def task(self, group: FileGroup, *, run_id: str, attempt: int, settings: GroupSettings) -> EngineTask:
        """Return the task that rewrites one group: engine, schema, inputs, output location, settings.

        Raises:
            NotEligible: the group's files can't be rewritten, or the engine is a procedure.
        """

    def task_storage(self) -> Mapping[str, str]:
        """Return a task's storage properties, with the credentials from the time the table was opened."""


def _problem(name: str, message: str, policy: EffectivePolicy, remedy: str) -> FieldProblem:
    hint = f"{remedy}; origin: {policy.origins.get(name, 'default')}"
    return FieldProblem("/" + name.replace(".", "/"), message, policy.values[name], hint)
