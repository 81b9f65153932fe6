"""Earliest start of an automatic run of a table: all holds on it, each with its end if that is known.

The coordinator submits no run while there is a hold, except for limits of parallel runs; explain shows the same holds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Final

from engine.domain.clock import doubled
from engine.domain.fleet.breakers import Breaker
from engine.domain.fleet.endpoints import NoEndpoint, SparkNeeds, choose_endpoint
from engine.domain.policies import EffectivePolicy
from engine.domain.policies.documents.schedules import next_cron
from engine.domain.remedies import Statement, Value, remedy
from engine.domain.runs.operations import OF_SPARK, OPERATIONS
from engine.domain.runs.reasons import OF_TABLES, describe_reason
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from engine.domain.values.instants import format_minute
from engine.services.explain.facts import Facts, RecordFacts
from engine.services.explain.holds import TableHold, paused, written
from engine.services.planning.wording import count_of
from engine.services.runs.holds import HoldRules
from engine.stores.tables.hot_partitions import MOST_HOT

_NO_TIME: Final = Statement("no_time", "Its windows leave no time.")
_LIMITS: Final = remedy("replace_limits")
_LOST_RACES: Final = ("conflict", "cooling_down")
"""End reasons of runs after which only the partitions that lost a race rest."""

_COOLED: Final = "the first of them is included again then"

FIRST_REST_SECONDS: Final = 300
"""Seconds without automatic runs after a run without effect; doubles with each further one in a row."""

MOST_DOUBLED: Final = 4
"""Number of times that this rest doubles at most: to 80 minutes."""

SILENT_SECONDS: Final = 900
"""Seconds without an event after which a run at work is described as silent."""

REFUSED_REST_SECONDS: Final = 86_400
"""Seconds without automatic runs after a refused one if the table has not changed: a new version may support it."""


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The earliest start of a run: `at` is the latest end of its holds, now without holds.

    None when it is not known; `reason` then has the cause.
    """

    at: datetime | None
    reason: Statement | None
    held_by: Sequence[TableHold]


def eligibility(facts: Facts) -> Eligibility:
    """Return when a run of the table could begin, and all holds until then."""
    runs = _runs(facts, Operation.REWRITE)
    held_by = [*_switches(facts), *_state_of_table(facts), *runs, *_room(facts, Operation.REWRITE), *_times(facts)]
    if (endless := _endless(held_by)) is not None:
        return endless
    at = max((hold.until for hold in held_by if hold.until), default=facts.record.now)
    free_at = HoldRules.of(facts.policy).free_from(at, facts.due_since, facts.latencies)
    return Eligibility(free_at, None if free_at else _NO_TIME, held_by)


def upkeep_eligibility(facts: Facts, operation: Operation) -> Eligibility:
    """Return when a run of an operation besides rewriting could begin, and all holds until then."""
    blocked = [] if facts.sight.blocked is None else [_blocked(facts.sight.blocked)]
    runs = _runs(facts, operation)
    held_by = [*_switches(facts), *blocked, *runs, *_room(facts, operation), *_waits(facts, operation)]
    if (endless := _endless(held_by)) is not None:
        return endless
    return Eligibility(max((hold.until for hold in held_by if hold.until), default=facts.record.now), None, held_by)


def _endless(held_by: Sequence[TableHold]) -> Eligibility | None:
    """Return that the start is not known if the end of a hold is not."""
    first = next((hold for hold in held_by if hold.until is None), None)
    if first is None:
        return None
    return Eligibility(None, Statement(first.code, first.text, first.values, first.remedy), held_by)


def cron_next(policy: EffectivePolicy, now: datetime) -> datetime | None:
    """Return the next time of the policy's cron expression; None without one or if it never matches."""
    return None if policy.cron is None else next_cron(*policy.cron, now)


def _switches(facts: Facts) -> Iterator[TableHold]:
    policy, record = facts.policy, facts.record
    if not policy.enabled:
        origin = policy.origins["enabled"]
        yield TableHold("disabled", None, f"origin: {origin}; enabled: true allows runs", {"origin": origin})
    table = record.table
    if record.fleet.pause is not None:
        yield paused("fleet_paused", record.fleet.pause, remedy("resume_fleet"))
    if record.catalog_pause is not None:
        yield paused("catalog_paused", record.catalog_pause, remedy("resume_catalog", name=table.ref.catalog))
    if table.pause is not None:
        yield paused("table_paused", table.pause, remedy("resume_table", table_id=table.id))
    if (freeze := table.freeze) is not None:
        detail = f"since {format_minute(freeze.at)}: {freeze.reason}; unfreezing the table ends it"
        values = {"since": written(freeze.at), "reason": freeze.reason, "run_id": freeze.run_id}
        yield TableHold("table_frozen", None, detail, values, remedy("unfreeze_table", table_id=table.id))


def _state_of_table(facts: Facts) -> Iterator[TableHold]:
    sight = facts.sight
    if sight.blocked is not None:
        yield _blocked(sight.blocked)
    if sight.trial is not None and not sight.trial.is_eligible:
        failed = [condition for condition in sight.trial.conditions if not condition.holds]
        yield TableHold("not_eligible", None, "; ".join(f"{each.name} ({each.detail})" for each in failed))
    if facts.refusals:
        yield TableHold("not_possible", None, "; ".join(refused_settings(facts)))
    if sight.due is not None and not sight.due.plan.groups:
        until = min((each.until for each in sight.due.plan.skipped if each.until is not None), default=None)
        if until is None:
            yield TableHold("nothing_to_do", None, "new files change that")
        else:
            yield TableHold("cooling_down", until, _COOLED)


def _blocked(cause: Statement) -> TableHold:
    code = cause.code if cause.code in OF_TABLES else "unreachable"
    return TableHold(code, None, cause.text, cause.values, cause.remedy)


def _runs(facts: Facts, operation: Operation) -> Iterator[TableHold]:
    record = facts.record
    if record.at_work is not None:
        values = {"run_id": record.at_work.id, "state": record.at_work.state.value}
        detail = f"run {record.at_work.id} is {record.at_work.state}{_silence(record)}"
        yield TableHold("run_at_work", None, detail, values)
    elif (first := record.goes_before(operation)) is not None and record.cooling_until is None:
        yield TableHold("run_waits", None, f"run {first.id} goes first", {"run_id": first.id})
    if record.cooling_until is not None:
        detail = "a run lost every file group to other writers and is planned again after a wait"
        yield TableHold("conflict_backoff", record.cooling_until, detail)
    if (announced := record.announced(operation)) is not None:
        yield _announced(announced)


def _announced(run: Run) -> TableHold:
    """Return the hold of a run whose deletion waits: until the end of its grace, or for a person."""
    which = f"run {run.id}, {run.operation.value}"
    values: dict[str, Value] = {"run_id": run.id, "operation": run.operation.value}
    if run.waiting_for is WaitingFor.GRACE:
        undo = remedy("undo_deletion", run_id=run.id)
        return TableHold("grace", run.not_before, f"{which}; undoing the deletion stops it", values, undo)
    return TableHold("acknowledgement", None, f"{which}: {run.detail}", values, remedy("get_deletion", run_id=run.id))


def _silence(record: RecordFacts) -> str:
    """Return since when the run at work has recorded no event, as a clause; empty if that is not long ago."""
    last = None if record.at_work is None else record.at_work.updated_at
    if last is None or (record.now - last).total_seconds() < SILENT_SECONDS:
        return ""
    return f", without an event since {format_minute(last)}: cancel it if its file groups make no progress"


def _room(facts: Facts, operation: Operation) -> Iterator[TableHold]:
    """Yield the reached limits of runs at once, unless the table's own run counts against them."""
    record, catalog = facts.record, facts.record.table.ref.catalog
    if record.at_work is not None:
        return
    limits, at_work = record.fleet.limits, record.fleet_at_work
    if (room := limits.room(at_work)) is not None and room <= 0:
        most = limits.parallel_runs
        yield _full("fleet_full", f"{at_work.total} of {most}", "parallel_runs", at_work.total, most)
    if (room := limits.room_of(operation, at_work)) is not None and room <= 0:
        most, busy = limits.parallel_groups, at_work.rewrites
        yield _full("fleet_full", f"{busy} rewrites at work, parallel_groups is {most}", "parallel_groups", busy, most)
    if (room := limits.room_in(catalog, at_work)) is not None and room <= 0:
        own, held = limits.of_catalog(catalog).parallel_runs, at_work.by_catalog.get(catalog, 0)
        yield _full("catalog_full", f"{held} of {own} in {catalog!r}", "parallel_runs", held, own)


def _full(code: str, found: str, limit: str, at_work: int, most: int | None) -> TableHold:
    detail = f"{found}; the next run starts when one ends, or after {limit} is raised in the limits"
    return TableHold(code, None, detail, {"setting": limit, "at_work": at_work, "limit": most}, _LIMITS)


def _waits(facts: Facts, operation: Operation) -> Iterator[TableHold]:
    """Yield the waits that apply to runs of every operation."""
    record, policy = facts.record, facts.policy
    due_since = facts.due_since if operation is Operation.REWRITE else record.now
    hold = HoldRules.of(policy).hold(record.now, due_since, facts.latencies)
    if hold is not None:
        is_endless = facts.windows.inside and facts.windows.ends_at is None
        yield TableHold(hold.waiting_for.value, None if is_endless else hold.until, hold.detail)
    for outage in (each for each in record.outages if each.dependency in OPERATIONS[operation].needs):
        yield TableHold(outage.waiting_for.value, max(outage.next_probe_at, record.now), outage.describe())
    if operation in OF_SPARK:
        found = choose_endpoint(record.endpoints, SparkNeeds.of(policy.values), record.spark_outages)
        if isinstance(found, NoEndpoint):
            yield TableHold(found.code, None, found.detail, {}, remedy("list_spark_endpoints"))
    yield from _breaker(record.breaker, record.now)
    yield from _grace(facts)
    yield from _rest(facts, operation)


def _times(facts: Facts) -> Iterator[TableHold]:
    record, policy = facts.record, facts.policy
    yield from _waits(facts, Operation.REWRITE)
    interval = policy.min_interval_seconds
    if interval and record.last_start is not None:
        until = record.last_start + timedelta(seconds=interval)
        if until > record.now:
            values: dict[str, Value] = {"last_start_at": written(record.last_start), "min_interval_seconds": interval}
            detail = f"it started at {format_minute(record.last_start)}"
            yield TableHold("min_interval", until, detail, values)
    if facts.day.remaining is not None and facts.day.remaining < _least_bytes(facts):
        free_at = facts.day.free_at(_least_bytes(facts)) or facts.day.next_at
        detail = "by then enough of the rewritten bytes are 24 hours old"
        left: dict[str, Value] = {"remaining": facts.day.remaining, "limit": facts.day.limit}
        yield TableHold("bytes_per_day", free_at, detail, left)
    yield from _seal(facts)
    yield from _cooling(facts)


def _breaker(breaker: Breaker | None, now: datetime) -> Iterator[TableHold]:
    """Yield the breaker of the catalog while it stops automatic runs."""
    until = None if breaker is None else breaker.holds_until(now)
    if breaker is not None and until is not None:
        detail = f"the last one: {describe_reason(breaker.reason)}; resuming the catalog starts them at once"
        resume = remedy("resume_catalog", name=breaker.catalog)
        yield TableHold("catalog_fails", until, detail, {"reason": breaker.reason}, resume)


def _grace(facts: Facts) -> Iterator[TableHold]:
    """Yield the grace period of a newly registered table: time to review its plan and to set its policy."""
    watch, table = facts.record.watch, facts.record.table
    if watch is not None and watch.grace_until is not None and watch.grace_until > facts.record.now:
        detail = (
            f"since {format_minute(table.created_at)}: time to check its plan and policy; a policy of its own, a "
            "requested run or resuming the table ends the wait"
        )
        values = {"registered_at": written(table.created_at)}
        yield TableHold("new_table", watch.grace_until, detail, values, remedy("resume_table", table_id=table.id))


def _rest(facts: Facts, operation: Operation) -> Iterator[TableHold]:
    """Yield the rest after runs without effect of an operation, so that runs that fail are not retried all the time."""
    now, forgiven = facts.record.now, facts.record.rest_ended_at
    rest_by_partition = _LOST_RACES if len(facts.record.hot.by_place) < MOST_HOT else ()  # otherwise some do not
    same = (run for run in facts.record.ended if run.operation is operation)
    ended = [run for run in same if run.reason not in rest_by_partition]
    if forgiven is not None:
        ended = [run for run in ended if run.finished_at is not None and run.finished_at > forgiven]
    with_earlier = zip(ended, (*ended[1:], None), strict=False)  # of none there is none before
    in_vain = [run for run, _ in takewhile(lambda each: _was_in_vain(*each), with_earlier)]
    if not in_vain or (last := in_vain[0].finished_at) is None:
        return
    is_refused = _is_refused(in_vain[0]) and not _has_changed_since(facts, last)
    seconds = doubled(FIRST_REST_SECONDS, min(len(in_vain) - 1, MOST_DOUBLED))
    until = last + timedelta(seconds=REFUSED_REST_SECONDS if is_refused else seconds)
    if until > now:
        why = "the next one is refused too unless the table or its policy changes; " if is_refused else ""
        found = f"{count_of(len(in_vain), 'run')} in a row, the last until {format_minute(last)}"
        values: dict[str, Value] = {"runs": len(in_vain), "last_at": written(last), "is_refused": is_refused}
        resume = remedy("resume_table", table_id=facts.record.table.id)
        yield TableHold("runs_in_vain", until, f"{found}; {why}resuming the table ends its rest", values, resume)


def _is_refused(run: Run) -> bool:
    """Return whether the table as a whole was refused; a requested run may concern a part of it."""
    return run.state is RunState.REFUSED and run.is_automatic


def _has_changed_since(facts: Facts, at: datetime) -> bool:
    watch = facts.record.watch
    return watch is not None and watch.changed_at is not None and watch.changed_at > at


def _was_in_vain(run: Run, before: Run | None) -> bool:
    """Return whether a run failed, or was automatic and had no effect: no caller requested a retry.

    It had an effect if `before`, the run that ended before it, did its work after it was submitted.
    """
    if before is not None and before.state is RunState.SUCCEEDED and run.state is RunState.SKIPPED:
        is_overtaken = before.finished_at is not None and before.finished_at >= run.created_at
        return run.is_automatic and not is_overtaken
    return run.state in (RunState.REFUSED, RunState.FAILED) or (
        run.is_automatic and run.state is not RunState.SUCCEEDED
    )


def _least_bytes(facts: Facts) -> int:
    """Return the bytes of the smallest group: the daily budget must have at least these left for a run to begin."""
    groups = [] if facts.sight.trial is None else facts.sight.trial.plan.groups
    return min((group.input_bytes for group in groups), default=1)


def _seal(facts: Facts) -> Iterator[TableHold]:
    evaluation = facts.sight.evaluation
    if evaluation is None or evaluation.is_due or evaluation.seal.next_at_ms is None:
        return
    waiting = sum(rule.held_back.get("not_sealed", 0) for rule in evaluation.rules)
    if waiting:
        until = datetime.fromtimestamp(evaluation.seal.next_at_ms / 1000, UTC)
        yield TableHold("not_sealed", until, "the first of them is sealed then, if nothing more is written to it")


def _cooling(facts: Facts) -> Iterator[TableHold]:
    """Yield the cool-down of the first partition that would be due without it, if no other one is due."""
    evaluation = facts.sight.evaluation
    if evaluation is not None and not evaluation.is_due and evaluation.cools_in_seconds is not None:
        yield TableHold("cooling_down", facts.record.now + timedelta(seconds=evaluation.cools_in_seconds), _COOLED)


def refused_settings(facts: Facts) -> list[str]:
    """Return, in words, each setting that can't be applied, with its origin."""
    return [
        f"{each.field} is {each.value if isinstance(each.value, str) else 'set'} "
        f"(origin: {facts.policy.origins[each.field]}), and {each.reason}"
        for each in facts.refusals
    ]
