"""Operations that the policy schedules besides rewriting: their settings, what they would do now, when they are due.

Used by dry runs, by explain, by the coordinator to decide, and again by the run when it starts. Reads metadata: call in
a thread.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Self

from engine.domain.errors import FieldProblem, InvalidInput, NotEligible, TableUnreadable
from engine.domain.policies import OFF, EffectivePolicy
from engine.domain.runs.deletes import DeletePlan
from engine.domain.runs.expiry import Expiry, ExpiryPlan, ExpiryRule
from engine.domain.runs.manifests import ManifestPlan
from engine.domain.runs.run import Operation
from engine.domain.values.units import format_bytes
from engine.formats.base import DeleteKeeper, HistoryKeeper, ManifestKeeper, OpenTable
from engine.services.planning.wording import duration, many


@dataclass(frozen=True, slots=True)
class Work:
    """What an operation would do now: the number of things it would change, in words, as a document.

    Attributes:
        next_at: when there will be (more) to do if nothing more is written; None: only writes make something to do.
        is_worth: whether it is enough for an automatic run; a run that is submitted does it in any case.
        is_urgent: whether an automatic run does not wait for the setting's interval, but for `LEAST_INTERVAL`.
    """

    count: int
    words: str
    document: Mapping[str, Any]
    next_at: datetime | None
    is_worth: bool = True
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class Upkeep:
    """An operation that a setting of the policy switches on; the setting has its `interval` in seconds.

    `example`: a value of the setting, as written in a policy. `role`: what a table must be able to do.
    """

    setting: str
    example: str
    role: type
    plan: Callable[[OpenTable, EffectivePolicy, datetime], Work]


@dataclass(frozen=True, slots=True)
class UpkeepState:
    """An operation that is switched on for a table: what it would do now, and whether it is due.

    `due_at`: when it is due if nothing more is written; None: never by the passing of time alone, or `blocked` has the
    reason why not.
    """

    operation: Operation
    setting: str
    is_due: bool
    due_at: datetime | None
    words: str
    blocked: str | None = None

    @classmethod
    def of(cls, operation: Operation, setting: str, work: Work, earliest: datetime | None, now: datetime) -> Self:
        """Return the state of an operation with this work that may not start before `earliest`; None: at no time."""
        if earliest is None or (work.count and not work.is_worth):
            return cls(operation, setting, is_due=False, due_at=None, words=work.words)
        if work.count:
            return cls(operation, setting, earliest <= now, max(earliest, now), work.words)
        due_at = None if work.next_at is None else max(earliest, work.next_at)
        return cls(operation, setting, is_due=False, due_at=due_at, words=work.words)


def expiry_rule(policy: EffectivePolicy) -> ExpiryRule:
    """Return the rule of `maintenance.expire_snapshots`, which must not be off."""
    value = policy.values[_EXPIRY]
    return ExpiryRule(timedelta(seconds=value["older_than"]), value["keep_last"])


def keeper_of(table: OpenTable) -> HistoryKeeper:
    """Return a table as one that can expire snapshots. Raises `NotEligible` if its format has none."""
    if not isinstance(table, HistoryKeeper):
        raise NotEligible("the format of this table keeps no snapshots that can expire")
    return table


def manifest_keeper_of(table: OpenTable) -> ManifestKeeper:
    """Return a table as one whose manifests can be rewritten. Raises `NotEligible` if its format has none."""
    if not isinstance(table, ManifestKeeper):
        raise NotEligible("the format of this table has no manifests")
    return table


def delete_keeper_of(table: OpenTable) -> DeleteKeeper:
    """Return a table as one whose delete files can be rewritten. Raises `NotEligible` if its format has none."""
    if not isinstance(table, DeleteKeeper):
        raise NotEligible("the format of this table has no delete files")
    return table


def is_on(policy: EffectivePolicy, operation: Operation) -> bool:
    """Return whether the policy has an operation switched on; rewriting needs no setting."""
    upkeep = UPKEEP.get(operation)
    return upkeep is None or policy.values[upkeep.setting] != OFF


def check_is_on(policy: EffectivePolicy, operation: Operation) -> None:
    """Raise `InvalidInput` with the setting to change if the policy has an operation switched off."""
    if not is_on(policy, operation):
        setting = UPKEEP[operation].setting
        message = f"the table's policy has {setting}: off (origin: {policy.origins[setting]})"
        hint = f"set {setting} in its policy first, such as {UPKEEP[operation].example}: it limits what a run changes"
        problem = FieldProblem("/operation", message, operation.value, hint)
        raise InvalidInput(f"{operation.value} is switched off for this table", problems=(problem,))


def plan_upkeep(table: OpenTable, policy: EffectivePolicy, operation: Operation, now: datetime) -> Work:
    """Return what an operation that is switched on would do now.

    Raises:
        NotEligible: the table does not support it in its current state.
    """
    return UPKEEP[operation].plan(table, policy, now)


def upkeep_states(
    table: OpenTable, policy: EffectivePolicy, last_starts: Mapping[Operation, datetime], now: datetime
) -> tuple[UpkeepState, ...]:
    """Return the state of every operation that the policy has switched on, in the order in which they run.

    Operations that the table's format does not have are left out: some are on by default.
    """
    return tuple(
        _state(table, policy, each, last_starts.get(each), now)
        for each in switched_on(policy)
        if isinstance(table, UPKEEP[each].role)
    )


def switched_on(policy: EffectivePolicy) -> tuple[Operation, ...]:
    """Return the operations besides rewriting that the policy has switched on, in the order in which they run."""
    return tuple(each for each in UPKEEP if is_on(policy, each))


def _state(
    table: OpenTable, policy: EffectivePolicy, operation: Operation, last_start: datetime | None, now: datetime
) -> UpkeepState:
    setting = UPKEEP[operation].setting
    try:
        work = plan_upkeep(table, policy, operation, now)
    except (NotEligible, TableUnreadable) as error:
        return UpkeepState(operation, setting, is_due=False, due_at=None, words=error.message, blocked=error.code)
    interval = _interval(policy.values[setting]["interval"], is_urgent=work.is_urgent)
    if interval is None:
        return UpkeepState.of(operation, setting, work, None, now)
    return UpkeepState.of(operation, setting, work, now if last_start is None else last_start + interval, now)


def _interval(seconds: Any, *, is_urgent: bool) -> timedelta | None:
    """Return the least time between two automatic runs; None if the setting's interval is off and nothing is urgent."""
    if seconds == OFF:
        return LEAST_INTERVAL if is_urgent else None
    return min(timedelta(seconds=seconds), LEAST_INTERVAL) if is_urgent else timedelta(seconds=seconds)


def _plan_deletes(table: OpenTable, policy: EffectivePolicy, now: datetime) -> Work:
    del now  # only writes change what is to do
    plan, least = delete_keeper_of(table).plan_deletes(), policy.values[_DELETES]["at_least_files"]
    is_worth, words = plan.rewritten >= least, delete_words(plan)
    if plan.rewritten and not is_worth:
        words += f", too few to start automatically (at_least_files: {least})"
    return Work(plan.rewritten, words, plan.document(), None, is_worth=is_worth)


def delete_words(plan: DeletePlan) -> str:
    """Return a plan as a clause: how many delete files would be replaced, and which are not."""
    files = many(plan.files, "position-delete file")
    words = f"none of {files} can be merged or dropped"
    if plan.rewritten:
        words = f"{plan.rewritten} of {files} can become at most {plan.added}"
    if plan.left:
        words += f", {sum(plan.left.values())} left alone ({', '.join(sorted(plan.left))})"
    if plan.equality_files:
        equality = many(plan.equality_files, "equality-delete file")
        words += (
            f"; {equality} ({format_bytes(plan.equality_bytes)}) need a rewrite of the data files to which they apply "
            "(rewrite.engine: native)"
        )
    return words


def _plan_manifests(table: OpenTable, policy: EffectivePolicy, now: datetime) -> Work:
    del now  # only writes change what is to do
    value, plan = policy.values[_MANIFESTS], manifest_keeper_of(table).plan_manifests()
    is_small = plan.average_bytes * 100 < value["average_below_percent"] * plan.target_bytes
    return Work(
        plan.rewritten,
        manifest_words(plan),
        plan.document(),
        None,
        is_worth=plan.saved >= LEAST_SAVED,
        is_urgent=plan.manifests > value["above_count"] and is_small,
    )


def manifest_words(plan: ManifestPlan) -> str:
    """Return a plan as a clause: how many manifests would be replaced, and whether that starts a run."""
    target = format_bytes(plan.target_bytes)
    if not plan.rewritten:
        return f"none of {many(plan.manifests, 'manifest')} can be merged or split (target: {target} each)"
    merged = f"{plan.rewritten} of {many(plan.manifests, 'manifest')} can become {plan.added} (target: {target} each)"
    few = f", too few to start automatically ({LEAST_SAVED} fewer are needed)"
    return merged if plan.saved >= LEAST_SAVED else merged + few


def _plan_expiry(table: OpenTable, policy: EffectivePolicy, now: datetime) -> Work:
    plan = keeper_of(table).plan_expiry(Expiry(expiry_rule(policy), now))
    return Work(len(plan.expired), expiry_words(plan), plan.document(), plan.next_at)


def expiry_words(plan: ExpiryPlan) -> str:
    """Return a plan as a clause: how many snapshots expire, and by which rule."""
    age = duration(plan.rule.older_than.total_seconds())
    rule = f"older than {age}, except the {plan.rule.keep_last} newest of each branch"
    return f"{many(len(plan.expired), 'snapshot')} of {len(plan.expired) + sum(plan.kept.values())} can expire ({rule})"


LEAST_SAVED: Final = 10
"""Least number of manifests by which an automatic rewrite reduces them: each is a request of every reader."""

LEAST_INTERVAL: Final = timedelta(hours=1)
"""Least time between two automatic runs of an operation that does not wait for its interval."""

_DELETES: Final = "maintenance.rewrite_deletes"
_MANIFESTS: Final = "maintenance.rewrite_manifests"
_EXPIRY: Final = "maintenance.expire_snapshots"
UPKEEP: Final[Mapping[Operation, Upkeep]] = MappingProxyType(
    {
        Operation.REWRITE_DELETES: Upkeep(
            _DELETES, '{"interval": "1d", "at_least_files": 10}', DeleteKeeper, _plan_deletes
        ),
        Operation.REWRITE_MANIFESTS: Upkeep(_MANIFESTS, '{"interval": "7d"}', ManifestKeeper, _plan_manifests),
        Operation.EXPIRE_SNAPSHOTS: Upkeep(
            _EXPIRY, '{"older_than": "5d", "keep_last": 10}', HistoryKeeper, _plan_expiry
        ),
    }
)
"""Every operation besides rewriting, in the order in which they run when several are due."""
