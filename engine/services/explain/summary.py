"""The explanation in plain sentences, most important first.

Can it run, would it run, why or why not, what is next, what to change: in this order. Sentences beyond the most are
left out from the end; the explanation's structure (`document`) has everything. Clients wrap the lines.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from engine.domain.policies import EffectivePolicy, WindowKind, ineffective_intervals, raised_group_sizes
from engine.domain.remedies import Statement, Value
from engine.domain.runs.plans import Plan
from engine.domain.runs.reasons import describe_reason
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.domain.values.instants import format_minute
from engine.domain.values.units import format_bytes, round_duration
from engine.planning.due.triggers import RuleState
from engine.planning.predictions.estimates import predicted_requests
from engine.services.explain.advice_lines import helpful_changes, place_in_queue, state_of_files
from engine.services.explain.facts import Facts
from engine.services.explain.starts import how_it_starts
from engine.services.explain.timing import Eligibility, cron_next, refused_settings, upkeep_eligibility
from engine.services.planning.engines import BY_NATIVE
from engine.services.planning.orders import order_state
from engine.services.planning.rule_words import condition_words, due_rule, other_rule
from engine.services.planning.trials import Trial
from engine.services.planning.wording import count_of, place_name, sentence, short, short_detail
from engine.services.runs.endpoints import WAITS
from engine.services.runs.views import remedy_of

MOST: Final = 24
"""The most statements of a summary."""
_DELETION_WAITS: Final = (WaitingFor.GRACE, WaitingFor.ACKNOWLEDGEMENT)
_WITHOUT_END: Final = WAITS | {WaitingFor.ACKNOWLEDGEMENT}
"""Waits that end with what a person or another system does; `not_before` is not their end."""
_DUE_SHOWN: Final = 6
_OTHERS_SHOWN: Final = 3
"""Rules shown while none is due; those that become due without further writes come first."""
_LONGEST_DETAIL: Final = 200


def summarize(facts: Facts, eligible: Eligibility) -> list[Statement]:
    """Return the summary: at most 24 statements; the code of each is the part of the explanation that it is about."""
    return list(islice(_statements(facts, eligible), MOST))


def _statements(facts: Facts, eligible: Eligibility) -> Iterator[Statement]:
    yield Statement("due", _headline(facts, eligible))
    yield replace(how_it_starts(facts, eligible), code="starts")
    yield from _said("conditions", _can(facts))
    yield from _said("now", _now(facts, eligible))
    yield from _holds(eligible)
    yield from _said("triggers", _rules(facts))
    yield from _said("upkeep", _upkeep(facts))
    yield from _said("health", place_in_queue(facts))
    yield from _live(facts)
    yield from _said("last_run", _last(facts))
    yield from _said("schedule", _next(facts))
    yield from _said("conflicts", _conflicts(facts))
    yield from _said("health", state_of_files(facts))
    yield from helpful_changes(facts)


def _said(code: str, texts: Iterable[str]) -> Iterator[Statement]:
    return (Statement(code, text) for text in texts)


def _headline(facts: Facts, eligible: Eligibility) -> str:
    ref, sight = short(str(facts.record.table.ref), 70), facts.sight
    if sight.blocked is not None:
        return f"{ref} can't be read now."
    if facts.refusals or (sight.trial is not None and not sight.trial.is_eligible):
        return f"{ref} can't be rewritten in its current state."
    due = "is due for a rewrite" if sight.evaluation is not None and sight.evaluation.is_due else "is not due"
    if eligible.held_by:
        until = f" until {format_minute(eligible.at)}" if eligible.at else ""
        return f"{ref} {due}, and is held back{until}: {', '.join(hold.words for hold in eligible.held_by)}."
    return f"{ref} {due}{', and nothing holds it back' if due.endswith('rewrite') else ''}."


def _can(facts: Facts) -> Iterator[str]:
    sight = facts.sight
    if sight.blocked is not None:
        yield f"{sentence(sight.blocked.text)} The settings shown do not include the table's own properties."
        if facts.record.measurement is not None:
            seen = facts.record.measurement
            yield (
                f"It was measured last at {format_minute(seen.measured_at)}: {seen.file_count} files, "
                f"{seen.small_file_count} of them small, score {seen.score:.0f} of 100."
            )
    for refused in refused_settings(facts):
        yield f"It can't be rewritten: {refused}."
    if sight.trial is None:
        return
    if sight.trial.is_eligible and not facts.refusals:
        yield f"It can be rewritten: all {len(sight.trial.conditions)} conditions hold."
    yield from _how(facts.policy, sight.trial)
    for condition in sight.trial.conditions:
        if not condition.holds:
            yield f"It can't be rewritten: {condition.name.replace('_', ' ')}: {condition.detail}."


def _how(policy: EffectivePolicy, trial: Trial) -> Iterator[str]:
    for raised in raised_group_sizes(policy):
        name = raised.pointer[1:].replace("/", ".")
        yield f"File groups have the target size: {name} {raised.message}."
    for ignored in ineffective_intervals(policy):
        yield f"{ignored.pointer[1:].replace('/', '.')} has no effect: it {ignored.message}."
    for condition in trial.conditions:
        if condition.name == BY_NATIVE:
            yield f"It is rewritten by {condition.detail}."


def _now(facts: Facts, eligible: Eligibility) -> Iterator[str]:
    trial = facts.sight.trial
    if trial is None:
        return
    if facts.refusals:
        yield "A run now would fail for this reason."
        return
    plan, deferred = facts.planned_now(trial.plan)
    expected = plan.prediction
    if not plan.groups:
        counted = Counter(partition.reason for partition in plan.skipped).most_common()
        left_alone = [f"{count_of(n, 'partition')}: {describe_reason(code)}" for code, n in counted]
        why = "; ".join(filter(None, [*left_alone, order_state(plan)]))
        yield f"A run now would find nothing to do: {why or 'the table has no files'}."
        return
    sent = count_of(predicted_requests(plan.groups, output_bytes=expected.output_bytes), "storage request")
    what = (
        f"{count_of(expected.input_files, 'file')} ({format_bytes(expected.input_bytes)}) in "
        f"{count_of(len(plan.groups), 'group')} into about {expected.output_files}"
    )
    if trial.is_eligible and facts.policy.enabled:
        waits = any(hold.holds_requests for hold in eligible.held_by)
        begin = "A run requested now would wait, then rewrite" if waits else "A run now would rewrite"
        yield f"{begin} {what} in about {round_duration(expected.seconds)}, with about {sent}."
        yield f"That time is {plan.time.costs.evidence}{_limits(plan)}."
        if plan.reordered_files and plan.order is not None:
            yield f"{count_of(plan.reordered_files, 'file')} of them only for the requested order ({plan.order.words})."
        if plan.moved_files:
            yield (
                f"The rows of {count_of(plan.moved_files, 'file')} move to the partitions of the current spec: each "
                "of these gets at least one file, so there may be more files than predicted."
            )
        if plan.shrunk_partitions:
            yield f"{count_of(plan.shrunk_partitions, 'partition')} of it in smaller file groups, after lost races."
        if 0 < deferred < len(trial.plan.groups):
            yield f"{count_of(deferred, 'group')} would be left for later: more than is left of limits.bytes_per_day."
        yield from _due_only(facts, expected.input_files)
    else:
        yield f"A run now would change nothing; if nothing prevented it, it would rewrite {what}."


def _limits(plan: Plan) -> str:
    """Return the limit that determines a run's time, as a clause."""
    limit = plan.time.limit.bytes_per_second
    return "" if limit is None else f", under a limit of {format_bytes(round(limit))}/s"


def _due_only(facts: Facts, all_files: int) -> Iterator[str]:
    """Yield the extent of an automatic run if a requested run would rewrite more."""
    due = facts.sight.due
    if due is None or not due.plan.groups:
        return
    plan, _ = facts.planned_now(due.plan)
    expected = plan.prediction
    if due.full or expected.input_files != all_files:
        full = " in full" if due.full else ""
        what = f"{count_of(expected.input_files, 'file')} ({format_bytes(expected.input_bytes)})"
        groups = count_of(len(plan.groups), "group")
        yield f"An automatic run would rewrite the due partitions{full}: {what} in {groups}."


def _holds(eligible: Eligibility) -> Iterator[Statement]:
    for hold in eligible.held_by:
        if hold.code not in {"unreachable", "table_replaced", "table_unreadable", "not_eligible", "not_possible"}:
            yield hold.statement


def _rules(facts: Facts) -> Iterator[str]:
    evaluation = facts.sight.evaluation
    if evaluation is None:
        return
    if not evaluation.rules:
        yield "Its policy has no triggers: no rule ever makes it due."
    measured = [
        rule for rule in evaluation.full if rule.is_due or any(one.measured is not None for one in rule.conditions)
    ]
    rules = (*evaluation.triggers, *measured)
    due = [rule for rule in rules if rule.is_due]
    if due:
        yield from _due_rules(due)
    else:
        others = sorted(rules, key=lambda rule: rule.due_in_seconds is None)
        yield from (other_rule(rule) for rule in others[:_OTHERS_SHOWN])
        if len(others) > _OTHERS_SHOWN:
            yield f"{count_of(len(others) - _OTHERS_SHOWN, 'more rule')} {_are(len(others) - _OTHERS_SHOWN)} not due."
    seal = evaluation.seal
    if seal.is_on and seal.not_sealed:
        yield f"Sealed: {seal.sealed} of {count_of(seal.sealed + seal.not_sealed, 'partition')}."


def _due_rules(due: Sequence[RuleState]) -> Iterator[str]:
    """Yield the first due rule with its measurements, and the names of the others."""
    yield due_rule(due[0])
    if len(due) > 1:
        names = (f"'{rule.name}' ({count_of(rule.due_total, 'partition')})" for rule in due[1:_DUE_SHOWN])
        rest = f" and {count_of(len(due) - _DUE_SHOWN, 'other')}" if len(due) > _DUE_SHOWN else ""
        yield f"Also due by {', '.join(names)}{rest}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _upkeep(facts: Facts) -> Iterator[str]:
    """Yield the state of each operation besides rewriting that the policy has switched on."""
    for each in facts.sight.upkeep:
        name = each.operation.value.replace("_", " ")
        if each.blocked is not None:
            yield f"Its {each.setting} can't be applied: {each.words}."
        elif each.is_due:
            held_by = upkeep_eligibility(facts, each.operation).held_by
            held = ", ".join(hold.words for hold in held_by if hold.holds_submission)
            yield f"It is due to {name}{f', and held back ({held})' if held else ''}: {each.words}."
        else:
            at = "" if each.due_at is None else f" before {format_minute(each.due_at)}"
            yield f"It is not due to {name}{at}: {each.words}."
        if each.conditions:
            measured = ", ".join(condition_words(condition) for condition in each.conditions)
            all_hold = all(condition.is_met for condition in each.conditions)
            yield f"The conditions of {each.setting} {'hold' if all_hold else 'do not all hold'}: {measured}."


def _live(facts: Facts) -> Iterator[Statement]:
    for run in facts.record.live[:2]:
        values: dict[str, Value] = {"run_id": run.id, "state": run.state.value}
        if run.state is not RunState.QUEUED:
            yield Statement("live_run", f"Run {run.id} is {run.state}, in attempt {run.attempt}.", values)
        elif run.waiting_for is not None:
            end = None if run.waiting_for in _WITHOUT_END else run.not_before
            until = f" until {format_minute(end)}" if end else ""
            remedy = remedy_of(run) if run.waiting_for in _DELETION_WAITS else None
            detail = "" if remedy else _detail(run)  # that of a deletion is too long
            text = f"Run {run.id} waits{until}: {describe_reason(run.waiting_for)}{detail}."
            yield Statement("live_run", text, values | {"waiting_for": run.waiting_for.value}, remedy)
        else:
            first = f", and goes first from {format_minute(run.urgent_at)} on" if run.urgent_at else ""
            text = f"Run {run.id} is queued for a worker, since {format_minute(run.created_at)}{first}."
            yield Statement("live_run", text, values)


def _last(facts: Facts) -> Iterator[str]:
    run = facts.record.last
    if run is None:
        yield "No run of it has ended yet."
        return
    verb = {
        RunState.SUCCEEDED: "succeeded",
        RunState.SKIPPED: "found nothing to do",
        RunState.REFUSED: "was refused",
        RunState.FAILED: "failed",
    }
    at = f" at {format_minute(run.finished_at)}" if run.finished_at else ""
    why = (
        ""
        if run.state is RunState.SUCCEEDED or run.reason is None
        else f": {describe_reason(run.reason)}{_detail(run)}"
    )
    if run.reason == "nothing_to_do" and run.detail:  # the verb says so already
        why = f": {short_detail(run.detail, _LONGEST_DETAIL)}"
    removed, added = run.result.rewritten_files, run.result.added_files
    effect = f" and made {count_of(added, 'file')} of {removed}" if removed and added is not None else ""
    yield f"Its last run, {run.id}, {verb.get(run.state, 'was cancelled')}{at}{why}{effect}."


def _next(facts: Facts) -> Iterator[str]:
    windows, now = facts.windows, facts.record.now
    if not windows.inside and windows.next_start is not None:
        yield f"The next window in which no run starts begins at {format_minute(windows.next_start)}."
    if windows.inside and windows.kind is WindowKind.BLACKOUT and windows.ends_at is None:
        yield "The end of the blackout is not known."
    if (cron := cron_next(facts.policy, now)) is not None:
        yield f"The next time of its schedule.cron is {format_minute(cron)}."
    if facts.day.limit is not None and facts.day.remaining:
        yield f"{format_bytes(facts.day.remaining)} of limits.bytes_per_day ({format_bytes(facts.day.limit)}) are left."


def _conflicts(facts: Facts) -> Iterator[str]:
    lost = facts.record.conflicts
    if lost:
        times = count_of(len(lost), "time")
        wasted = facts.record.races.wasted_bytes
        cost = f"; {format_bytes(wasted)} of output were discarded" if wasted else ""
        last = format_minute(lost[0].at)
        yield f"Its runs lost file groups to other writers {times} in 7 days, last at {last}{cost}."
    for other in facts.sight.others[:2]:
        named = f", application {other.application}" if other.application else ""
        times = count_of(other.count, "time")
        yield (
            f"Another compactor ({other.engine}{named}) replaced files {times} in the last day: "
            "compactors on the same partitions make each other's commits fail."
        )
    cooling = facts.record.hot.cooling
    if cooling:
        longest = cooling[0]
        where = place_name(longest.place[1])
        losses = count_of(longest.losses, "lost race")
        yield (
            f"{count_of(len(cooling), 'partition')} {'cools' if len(cooling) == 1 else 'cool'} down after lost races, "
            f"{where} until {format_minute(longest.cools_until)} ({losses} in a row); "
            "a run with include_cooling takes them anyway."
        )


def _detail(run: Run) -> str:
    return f" ({short_detail(run.detail, _LONGEST_DETAIL)})" if run.detail else ""
