"""Decide on a table: start a run or not and why, and when to decide again if only time passes.

Pure: uses the same facts and functions as explain.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.requests import Cause, RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.watches import Verdict
from engine.planning.due.triggers import RuleState
from engine.services.explain.facts import Facts, Sight
from engine.services.explain.holds import TableHold
from engine.services.explain.timing import Eligibility, cron_next, eligibility, upkeep_eligibility
from engine.services.planning.upkeep.states import UpkeepState

RUN_SECONDS: Final = 60
"""Interval, in seconds, at which a due table is evaluated while it has a live run."""

_RUNS: Final = frozenset({"run_at_work", "run_waits"})


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: `request` is the run to start, None for none. `reconsider_at`: see `domain.tables.watches.Watch`."""

    verdict: Verdict
    code: str | None = None
    detail: str | None = None
    is_due: bool = False
    reconsider_at: datetime | None = None
    request: RunRequest | None = None


def decide_unless_due(policy: EffectivePolicy, sight: Sight, now: datetime) -> Decision | None:
    """Return the decision on a table that is not due, switched off or unreadable; None when it is due."""
    cron = cron_next(policy, now)
    if not policy.enabled:
        return Decision(Verdict.DISABLED, "disabled", reconsider_at=cron)
    if sight.blocked is not None:
        return Decision(Verdict.UNREACHABLE, sight.blocked.code, sight.blocked.text)
    if not sight.is_due:
        due_at = _earliest(sight.due_at(now, margin_seconds=1), *(each.due_at for each in sight.upkeep))
        return Decision(Verdict.NOT_DUE, reconsider_at=_earliest(cron, due_at))
    return None


def decide(facts: Facts) -> Decision:
    """Return the decision on a table, whether it is due or not."""
    early = decide_unless_due(facts.policy, facts.sight, facts.record.now)
    if early is not None:
        return early
    sight, last = facts.sight, facts.record.last
    rewrite = _decision(facts, request_of(facts), eligibility(facts)) if sight.is_due_for_rewrite else None
    upkeep = None
    due = [each for each in sight.due_upkeep if facts.record.announced(each.operation) is None] or sight.due_upkeep
    if due:
        request = upkeep_request(due[0], facts.record.now)
        upkeep = _decision(facts, request, upkeep_eligibility(facts, request.operation))
    after_rewrite = last is not None and last.operation is Operation.REWRITE and last.state is RunState.SUCCEEDED
    # a table that is always due lets upkeep in between two rewrites
    decisions = [each for each in ((upkeep, rewrite) if after_rewrite else (rewrite, upkeep)) if each is not None]
    if (submitted := next((each for each in decisions if each.request is not None), None)) is not None:
        return submitted
    again = [each.reconsider_at for each in decisions]
    again += [None if rewrite else sight.due_at(facts.record.now, margin_seconds=1)]
    again += [each.due_at for each in sight.upkeep if not each.is_due]
    return replace(rewrite or decisions[0], reconsider_at=_earliest(*again))


def _decision(facts: Facts, request: RunRequest, eligible: Eligibility) -> Decision:
    """Submit a request unless something holds it back."""
    cron = cron_next(facts.policy, facts.record.now)
    if held_by := [hold for hold in eligible.held_by if hold.holds_submission]:
        return _held(facts, held_by, cron)
    again_at = facts.record.now + timedelta(seconds=RUN_SECONDS)
    reconsider_at = _earliest(cron, again_at)
    is_due = facts.sight.is_due_for_rewrite
    return Decision(Verdict.SUBMITTED, is_due=is_due, reconsider_at=reconsider_at, request=request)


def upkeep_request(due: UpkeepState, now: datetime) -> RunRequest:
    """Return the request of an automatic run of an operation besides rewriting."""
    return RunRequest(due.operation, cause=Cause(due.setting, None, 0), due_since=now)


def request_of(facts: Facts) -> RunRequest:
    """Return the request of an automatic run. Call only when a rule of the table is due."""
    evaluation, due = facts.sight.evaluation, facts.sight.due
    if evaluation is None or due is None:
        message = "the table is not due"
        raise ValueError(message)
    rules = evaluation.full if due.full else evaluation.triggers
    return RunRequest(
        force_full=due.full,
        only_due=True,
        cause=_cause([rule for rule in rules if rule.is_due]),
        due_since=facts.due_since,
    )


def _cause(rules: Sequence[RuleState]) -> Cause:
    first = rules[0]
    return Cause(first.name, first.due[0].partition if first.due else None, first.due_total)


def _held(facts: Facts, held_by: Sequence[TableHold], cron: datetime | None) -> Decision:
    """Wait until the holds end; a hold without a known end wakes the table when it ends."""
    ends = [hold.until for hold in held_by]
    until = None if None in ends else max(end for end in ends if end is not None)
    if any(hold.code in _RUNS for hold in held_by):
        until = facts.record.now + timedelta(seconds=RUN_SECONDS)
    first = held_by[0]
    detail = "; ".join(f"{hold.words} ({hold.detail})" for hold in held_by)
    return Decision(
        Verdict.HELD, first.code, detail, is_due=facts.sight.is_due_for_rewrite, reconsider_at=_earliest(cron, until)
    )


def _earliest(*instants: datetime | None) -> datetime | None:
    return min((each for each in instants if each is not None), default=None)
