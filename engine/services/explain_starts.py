"""Whether and when a run of a table starts by itself, in words and as an instant."""

from datetime import datetime, timedelta

from engine.services.explain_facts import Facts
from engine.services.explain_timing import Eligibility
from engine.services.explain_words import clock
from engine.services.holds import HoldRules


def starts_by_itself(facts: Facts) -> bool:
    """Tell whether runs of the table start by themselves at all: its policy is on, and a coordinator watches."""
    return facts.policy.enabled and facts.record.is_watched and facts.record.watch is not None


def start_at(facts: Facts, eligible: Eligibility) -> datetime | None:
    """Return when a run starts by itself if nothing more is written; None when none does, or it can't be told.

    It starts at the first look at which the table is due and nothing holds it back.
    """
    evaluation, watch = facts.sight.evaluation, facts.record.watch
    if not starts_by_itself(facts) or watch is None or evaluation is None or eligible.at is None:
        return None
    looked_at = max(facts.record.now, watch.next_at)
    due_since = (watch.due_since or looked_at) if evaluation.is_due else _due_at(facts)
    if due_since is None:
        return None
    at = max(eligible.at, looked_at, due_since)
    return HoldRules.of(facts.policy).free_from(at, due_since, facts.latencies)


def how_it_starts(facts: Facts, eligible: Eligibility) -> str:
    """Return one sentence on how runs of the table start."""
    watch, evaluation = facts.record.watch, facts.sight.evaluation
    if not facts.policy.enabled:
        return "No run starts by itself: its policy has enabled: false."
    if watch is None or not facts.record.is_watched:
        why = "no coordinator watches tables (none runs, or PACKHOUSE_WATCH is off)"
        return f"No run starts by itself now: {why}; submit one (POST /v1/runs)."
    look = f"the next look at it is at {clock(watch.next_at)}"
    if evaluation is not None and not evaluation.rules:
        return "No run starts by itself: its policy has no rules."
    if evaluation is None:
        return f"Runs start by themselves when it can be looked at: {look}."
    at = start_at(facts, eligible)
    if evaluation.is_due:
        when = "once nothing holds it back" if at is None else f"about {clock(at)}"
    elif at is not None:
        when = f"about {clock(at)} if nothing more is written; {look}"
    else:
        when = f"once a rule is due; {look}"
    return f"A run starts by itself {when}."


def _due_at(facts: Facts) -> datetime | None:
    evaluation = facts.sight.evaluation
    if evaluation is None or evaluation.due_in_seconds is None:
        return None
    try:
        return facts.record.now + timedelta(seconds=evaluation.due_in_seconds)
    except OverflowError:  # an age of centuries
        return None
