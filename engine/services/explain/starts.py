"""Whether and when a run of a table starts automatically, in words and as an instant.

The sentence never promises a start that a hold prevents: it names the first hold, and its end where that is known.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from engine.domain.remedies import Statement, remedy
from engine.domain.values.instants import format_minute
from engine.services.explain.facts import Facts
from engine.services.explain.holds import TableHold
from engine.services.explain.timing import Eligibility, upkeep_eligibility
from engine.services.runs.holds import HoldRules

_NEVER: Final = datetime.max.replace(tzinfo=UTC)


def starts_by_itself(facts: Facts) -> bool:
    """Return whether runs of the table start automatically at all: its policy is on, and a coordinator watches."""
    return facts.policy.enabled and facts.record.is_watched and facts.record.watch is not None


def start_at(facts: Facts, eligible: Eligibility) -> datetime | None:
    """Return when a run starts automatically if nothing more is written; None when none does or it is not known.

    It starts at the first evaluation at which the table is due and nothing holds it back.
    """
    evaluation, watch = facts.sight.evaluation, facts.record.watch
    if not starts_by_itself(facts) or watch is None or evaluation is None or eligible.at is None:
        return None
    looked_at = max(facts.record.now, watch.next_at)
    due_since = (watch.due_since or looked_at) if evaluation.is_due else facts.sight.due_at(facts.record.now)
    if due_since is None:
        return None
    at = max(eligible.at, looked_at, due_since)
    return HoldRules.of(facts.policy).free_from(at, due_since, facts.latencies)


def how_it_starts(facts: Facts, eligible: Eligibility) -> Statement:
    """Return one sentence on how runs of the table start; its code is that of the hold, if one is named."""
    watch, evaluation = facts.record.watch, facts.sight.evaluation
    if not facts.policy.enabled:
        return Statement("disabled", "No run starts automatically: its policy has enabled: false.")
    if watch is None or not facts.record.is_watched:
        why = "no coordinator watches tables (none runs, or PACKHOUSE_WATCH is off)"
        submit = remedy("submit_run", table_id=facts.record.table.id)
        return Statement("not_watched", f"No run starts automatically now: {why}; submit one.", remedy=submit)
    look = f"the next look at it is at {format_minute(watch.next_at)}"
    if evaluation is None:
        return Statement("unreachable", f"No run starts automatically until the table can be read: {look}.")
    what = "rewrite" if facts.sight.upkeep else "run"  # runs of upkeep start regardless of the rules
    if not evaluation.rules:
        return Statement("no_rules", f"No {what} starts automatically: its policy has no rules.")
    at = start_at(facts, eligible)
    if holds := [hold for hold in eligible.held_by if hold.holds_submission]:
        named, words = _held(holds, at or eligible.at)
        text = f"No {'run' if _holds_upkeep(facts, named) else what} starts automatically{words}."
        return Statement(named.code, text, named.values, named.remedy)
    text = f"A {what} {_free(at, look, is_due=evaluation.is_due, waits=bool(eligible.held_by))}."
    return Statement("due" if evaluation.is_due else "not_due", text)


def _free(at: datetime | None, look: str, *, is_due: bool, waits: bool) -> str:
    if at is None:
        return f"starts automatically once a rule is due; {look}"
    if not is_due:
        return f"starts automatically about {format_minute(at)} if nothing more is written; {look}"
    if waits:
        return f"is queued automatically about {format_minute(at)}, and waits for its turn"
    return f"starts automatically about {format_minute(at)}"


def _held(holds: Sequence[TableHold], until: datetime | None) -> tuple[TableHold, str]:
    """Return the hold to name, and the end of the sentence that names it."""
    endless = [hold for hold in holds if hold.until is None]
    if endless:
        return endless[0], f": {endless[0].words}"
    last = max(holds, key=lambda hold: hold.until or _NEVER)
    return last, f"{f' before {format_minute(until)}' if until else ''}: {last.words}"


def _holds_upkeep(facts: Facts, hold: TableHold) -> bool:
    """Return whether a hold also holds back every other operation that the policy has switched on."""
    return all(
        hold.code in {each.code for each in upkeep_eligibility(facts, state.operation).held_by if each.holds_submission}
        for state in facts.sight.upkeep
    )
