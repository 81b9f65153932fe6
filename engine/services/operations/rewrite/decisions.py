"""Decide how an attempt at a rewrite ends. Pure: everything is decided by the values of the arguments."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from engine.domain.clock import doubled
from engine.domain.runs.drops import DropKind
from engine.domain.runs.left_out import LeftOutItem
from engine.domain.runs.plans import NOTHING_LATER, Later, Plan
from engine.domain.runs.reasons import describe_reason
from engine.domain.runs.run import GroupOutline, GroupState, RunState, WaitingFor
from engine.domain.values.instants import format_instant
from engine.services.operations.rewrite.tallies import GroupLedger
from engine.services.planning.orders import order_state
from engine.services.runs.attempts import AttemptStop, Stop
from engine.services.runs.budgets import DayBudget
from engine.services.runs.ending import AttemptOutcome, Ended, Parked, cancelled, left_to_another
from engine.services.runs.outcomes import left_out_of

MOST_LOST_RACES: Final = 3
"""Failed attempts after which a run that lost every group to other writers ends as failed."""

BACKOFF_SECONDS: Final = 30.0


def decide_end(
    ledger: GroupLedger,
    stop: AttemptStop | None,
    budget: DayBudget,
    later: Later = NOTHING_LATER,
    *,
    attempt: int,
    failures: int,
    left_out: Sequence[LeftOutItem] = (),
) -> AttemptOutcome:
    """Return how an attempt ends that worked on file groups.

    Args:
        ledger: the groups of the run.
        stop: the request to end early, if any.
        budget: the daily budget of the table, with the number of groups that it deferred.
        later: the groups that the plan deferred to the next one.
        attempt: the number of the attempt.
        failures: the failed attempts before it, without a commit between them.
        left_out: the partitions that the plan left out since the format can't rewrite them.
    """
    is_unfinished = later.partitions > 0 or bool(ledger.unfinished)
    if stop is not None and is_unfinished:
        if stop.reason in (Stop.SHUTDOWN, Stop.LEAVING):
            return left_to_another()
        if stop.reason is Stop.CANCELLED:
            return cancelled(stop)
        if stop.hold is not None:  # a pause has no `until`: claims see its end
            detail = f"{stop.hold.detail}; written file groups are committed, the rest is planned again afterwards"
            return Parked(stop.hold.waiting_for, stop.hold.reason, detail, until=stop.hold.until)
    return _by_groups(ledger.groups, budget, later, attempt=attempt, failures=failures, left_out=left_out)


def decide_without_groups(plan: Plan, budget: DayBudget, *, has_committed: bool) -> AttemptOutcome:
    """Return how an attempt ends whose plan has no groups; `has_committed`: an earlier attempt committed some."""
    if budget.deferred:
        return _waits_for_budget(budget)
    if has_committed:
        return Ended(RunState.SUCCEEDED, "committed", "an earlier attempt had committed everything")
    until = min((each.until for each in plan.skipped if each.until), default=None)
    if until is not None:
        cooling = describe_reason("cooling_down")
        detail = f"{cooling}, the first until {format_instant(until)}; a run with include_cooling takes them all"
        return Ended(RunState.SKIPPED, "cooling_down", detail, plan=plan.summary())
    return Ended(RunState.SKIPPED, "nothing_to_do", _why_nothing(plan), plan=plan.summary())


def _by_groups(
    groups: Sequence[GroupOutline],
    budget: DayBudget,
    later: Later,
    *,
    attempt: int,
    failures: int,
    left_out: Sequence[LeftOutItem],
) -> AttemptOutcome:
    committed = [group for group in groups if group.state is GroupState.COMMITTED]
    dropped = [group for group in groups if group.state is GroupState.DROPPED]
    broken = [group.reason for group in dropped if group.reason is not None and group.reason.is_own_fault]
    is_refused = all(reason.kind is DropKind.REFUSED for reason in broken)
    if broken and not (committed and is_refused):  # refused groups are left out, and the others are done
        detail = f"{len(broken)} of {len(groups)} groups {broken[0]}"
        if len(broken) == len(groups) and all(reason.is_final for reason in broken):
            return Ended(RunState.REFUSED, "groups_refused", detail)
        return Ended(RunState.FAILED, "groups_failed", detail)
    if later.partitions and not budget.deferred and any(group.attempt == attempt for group in committed):
        left = f"{later.partitions} partitions with {later.files} files are planned next"
        return Parked(None, "goes_on", f"{len(committed)} groups committed so far; {left}")
    if committed:
        waiting = f", {budget.deferred} left for another day (limits.bytes_per_day)" if budget.deferred else ""
        counts = f"{len(committed)} groups committed, {len(dropped)} dropped{waiting}"
        detail = "; ".join(filter(None, [counts, left_out_of(groups, left_out).describe()]))
        return Ended(RunState.SUCCEEDED, "committed", detail)
    return _lost_all(failures) if dropped else _waits_for_budget(budget)


def _lost_all(failures: int) -> AttemptOutcome:
    """Return the outcome after other writers replaced all inputs: waits of 30 s and 60 s, then the run fails."""
    if failures + 1 >= MOST_LOST_RACES:
        detail = f"other writers replaced all inputs; failed after {failures + 1} attempts"
        return Ended(RunState.FAILED, "conflict", detail)
    wait = timedelta(seconds=doubled(BACKOFF_SECONDS, failures))  # F18 in docs/contributing/register.md
    seconds = wait.total_seconds()
    detail = f"other writers replaced all inputs; next plan, in smaller file groups, after {seconds:.0f} s"
    return Parked(WaitingFor.CONFLICT_BACKOFF, "conflict", detail, wait=wait, failed=True)


def _waits_for_budget(budget: DayBudget) -> Parked:
    detail = f"{budget.deferred} groups wait for limits.bytes_per_day"
    return Parked(WaitingFor.BUDGET, "bytes_per_day", detail, until=budget.next_at)


def _why_nothing(plan: Plan) -> str:
    reasons = sorted({partition.reason for partition in plan.skipped})
    words = "; ".join([*map(describe_reason, reasons), *filter(None, [order_state(plan)])])
    return "no partition is worth a rewrite" + (f": {words}" if words else "; the table is empty")
