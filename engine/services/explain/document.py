"""The explanation as a structure for tools: every value in the summary, and those that it leaves out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.reasons import describe_reason
from engine.domain.runs.run import Run
from engine.domain.tables.addresses import written_address
from engine.planning.due.triggers import RuleState
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.planning.predictions.estimates import predicted_requests
from engine.services.explain.facts import CONFLICT_DAYS, LAST_RUNS, Facts, RecordFacts, Sight
from engine.services.explain.starts import how_it_starts, start_at, starts_by_itself
from engine.services.explain.summary import summarize
from engine.services.explain.timing import Eligibility, cron_next, eligibility, upkeep_eligibility
from engine.services.planning.rule_words import never_due_advice
from engine.services.planning.trials import Trial, plan_document
from engine.services.planning.upkeep.documents import condition_document, upkeep_document
from engine.services.runs.budgets import RunLimits
from engine.services.runs.holds import HoldRules
from engine.services.runs.outcomes import conflict_rate

_HOT_SHOWN = 20


def explanation(facts: Facts) -> Mapping[str, Any]:
    """Return the whole explanation, JSON-ready except for instants (datetimes) and runs (`Run`)."""
    eligible = eligibility(facts)
    record, sight = facts.record, facts.sight
    return {
        "table_id": record.table.id,
        "table": written_address(record.table.ref),
        "explained_at": record.now,
        "summary": [asdict(each) for each in summarize(facts, eligible)],
        "due": None if sight.evaluation is None else sight.evaluation.is_due,
        "would_start_by_itself": starts_by_itself(facts),
        "starts": asdict(how_it_starts(facts, eligible)),
        "starts_at": start_at(facts, eligible),
        "watch": _watch(record),
        "eligible": None if sight.trial is None else sight.trial.is_eligible,
        "conditions": [] if sight.trial is None else [asdict(condition) for condition in sight.trial.conditions],
        "next_eligible": _next_eligible(eligible),
        "triggers": _triggers(sight, facts.policy),
        "upkeep": [
            {**upkeep_document(each), "held_by": _holds(upkeep_eligibility(facts, each.operation))}
            for each in sight.upkeep
        ],
        "windows": facts.windows._asdict(),
        "pauses": _pauses(record),
        "budgets": _budgets(facts),
        "schedule": _schedule(facts),
        "conflicts": _conflicts(facts),
        "now": _now(facts),
        "live_run": replace(record.live[0], ref=record.table.ref) if record.live else None,
        "last_run": None if record.last is None else replace(record.last, ref=record.table.ref),
        "last_runs": [_ended(run) for run in record.ended[:LAST_RUNS]],
        "signals": [
            {"table_id": each.table_id, "at": each.at, "sent_by": each.sent_by, "signal": each.value}
            for each in record.signals
        ],
        "health": _health(facts),
        "settings": _settings(facts.policy),
    }


def _watch(record: RecordFacts) -> Mapping[str, Any] | None:
    watch = record.watch
    if watch is None:
        return None
    names = ("looked_at", "changed_at", "due_since", "interval_seconds", "verdict", "code", "detail")
    return {"next_look_at": watch.next_at, **{name: getattr(watch, name) for name in names}}


def _settings(policy: EffectivePolicy) -> Mapping[str, Any]:
    return {name: {"value": value, "origin": policy.origins[name]} for name, value in sorted(policy.written().items())}


def _next_eligible(eligible: Eligibility) -> Mapping[str, Any]:
    because = None if eligible.reason is None else asdict(eligible.reason)
    return {"at": eligible.at, "because": because, "held_by": _holds(eligible)}


def _holds(eligible: Eligibility) -> list[Mapping[str, Any]]:
    return [
        {
            "code": hold.code,
            "text": hold.text,
            "values": hold.values,
            "remedy": None if hold.remedy is None else asdict(hold.remedy),
            "until": hold.until,
            "holds_requests": hold.holds_requests,
        }
        for hold in eligible.held_by
    ]


def _triggers(sight: Sight, policy: EffectivePolicy) -> Mapping[str, Any] | None:
    evaluation = sight.evaluation
    if evaluation is None:
        return None
    seal, next_at = evaluation.seal, evaluation.seal.next_at_ms
    return {
        "rules": [
            *(_rule(rule, "trigger") for rule in evaluation.triggers),
            *(_rule(rule, "full") for rule in evaluation.full),
        ],
        "seal": {
            "is_on": seal.is_on,
            "sealed_partitions": seal.sealed,
            "unsealed_partitions": seal.not_sealed,
            "next_sealed_at": None if next_at is None else datetime.fromtimestamp(next_at / 1000, UTC),
        },
        "never_due": asdict(evaluation.never_due),
        "advice": [asdict(each) for each in never_due_advice(evaluation, policy)],
    }


def _rule(rule: RuleState, kind: str) -> Mapping[str, Any]:
    return {
        "name": rule.name,
        "kind": kind,
        "due": rule.is_due,
        "due_partitions_total": rule.due_total,
        "due_partitions": [asdict(each) for each in rule.due],
        "held_back": dict(rule.held_back),
        "partition": None if rule.shown is None else asdict(rule.shown),
        "conditions": [condition_document(condition) for condition in rule.conditions],
    }


def _pauses(record: RecordFacts) -> Sequence[Mapping[str, Any]]:
    found = (("fleet", record.fleet.pause), ("catalog", record.catalog_pause), ("table", record.table.pause))
    return [{"scope": scope, **asdict(pause)} for scope, pause in found if pause is not None]


def _budgets(facts: Facts) -> Mapping[str, Any]:
    """Return the rates of a run while it is the only one, and those that it has regardless of other runs."""
    catalog, fleet = facts.record.table.ref.catalog, facts.record.fleet
    limits = RunLimits(facts.policy.budget(), catalog, fleet.limits, fleet.version)
    day = facts.day
    used = None if day.limit is None or day.remaining is None else max(0, day.limit - day.remaining)
    return {
        **asdict(limits.most),
        "policy": asdict(limits.table),
        "fleet_share": asdict(fleet.limits.share(catalog)),
        "parallel_groups": facts.policy.parallel_groups,
        "fleet_parallel_groups": fleet.limits.parallel_groups,
        "parallel_runs": _parallel_runs(facts.record),
        "bytes_per_day": {
            "limit": day.limit,
            "used": used,
            "remaining": day.remaining,
            "frees_at": day.next_at if used else None,
        },
    }


def _parallel_runs(record: RecordFacts) -> Mapping[str, Any]:
    limits, at_work, catalog = record.fleet.limits, record.fleet_at_work, record.table.ref.catalog
    own = limits.of_catalog(catalog).parallel_runs
    return {
        "fleet": {"limit": limits.parallel_runs, "at_work": at_work.total},
        "catalog": {"limit": own, "at_work": at_work.by_catalog.get(catalog, 0)},
    }


def _schedule(facts: Facts) -> Mapping[str, Any]:
    written = facts.policy.values
    return {
        "min_interval_seconds": facts.policy.min_interval_seconds,
        "last_start_at": facts.record.last_start,
        "cron": written["schedule.cron"],
        "time_zone": written["schedule.time_zone"],
        "cron_next_at": cron_next(facts.policy, facts.record.now),
    }


def _conflicts(facts: Facts) -> Mapping[str, Any]:
    record = facts.record
    lost = record.conflicts
    return {
        "days": CONFLICT_DAYS,
        "count": len(lost),
        "lost_groups": sum(each.groups for each in lost),
        "committed_groups": record.races.groups_committed,
        "conflict_rate": conflict_rate(record.races.groups_lost, record.races.groups_committed),
        "wasted_bytes": record.races.wasted_bytes,
        "last_at": lost[0].at if lost else None,
        "last_reason": lost[0].reason if lost else None,
        "cooling_until": record.cooling_until,
        "hot_partitions_total": len(record.hot.by_place),
        "cooling_partitions_total": len(record.hot.cooling),
        "hot_partitions": _hot_partitions(facts),
        "other_compactors": [asdict(each) for each in facts.sight.others],
    }


def _hot_partitions(facts: Facts) -> Sequence[Mapping[str, Any]]:
    """Return the first partitions that lost their last race, longest remaining cool-down first."""
    limits = RewriteLimits.of(facts.policy)
    hot = sorted(facts.record.hot.by_place.values(), key=lambda each: each.cools_until, reverse=True)
    return [
        {
            "spec_id": each.place[0],
            "partition": each.place[1],
            "losses": each.losses,
            "lost_at": each.lost_at,
            "cools_until": each.cools_until,
            "is_cooling": each.cools_until > facts.record.now,
            "reason": each.reason,
            "run_id": each.run_id,
            "wasted_bytes": each.wasted_bytes,
            "max_group_bytes": each.group_bytes(limits.group_bytes, least=limits.target_bytes),
        }
        for each in hot[:_HOT_SHOWN]
    ]


def _now(facts: Facts) -> Mapping[str, Any]:
    trial, blocked = facts.sight.trial, facts.sight.blocked
    if trial is None:
        return {"outcome": "unknown", "because": None if blocked is None else asdict(blocked)}
    plan, deferred = facts.planned_now(trial.plan)
    document = plan_document(plan, deferred)
    document.pop("groups")
    document.pop("skipped")
    expected = plan.prediction
    cost = {
        "files": expected.input_files,
        "bytes_read": expected.input_bytes,
        "bytes_written": expected.output_bytes,
        "requests": predicted_requests(plan.groups, output_bytes=expected.output_bytes),
        "seconds": expected.seconds,
        "ends_at": _ends_at(facts, expected.seconds),
    }
    reasons = dict(Counter(partition.reason for partition in plan.skipped))
    return {
        "outcome": _outcome(facts, trial),
        "skipped_reasons": reasons,
        "cost": cost,
        "prediction_errors": dict(facts.record.known.errors or {}),
        **document,
    }


def _ends_at(facts: Facts, seconds: float) -> datetime | None:
    """Return when a run requested now would end, including stops by windows and slow queries."""
    now = facts.record.now
    return HoldRules.of(facts.policy).end_of(seconds, now, now, facts.latencies)


def _outcome(facts: Facts, trial: Trial) -> str:
    if not facts.policy.enabled:
        return "disabled"
    if facts.refusals or not trial.is_eligible:
        return "refused"
    return "rewrite" if trial.plan.groups else "nothing_to_do"


def _ended(run: Run) -> Mapping[str, Any]:
    return {
        "id": run.id,
        "operation": run.operation,
        "state": run.state,
        "reason": run.reason,
        "words": None if run.reason is None else describe_reason(run.reason),
        "detail": run.detail,
        "requested_by": run.requested_by,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "rewritten_files": run.result.rewritten_files,
        "added_files": run.result.added_files,
    }


def _health(facts: Facts) -> Mapping[str, Any] | None:
    """Return the figures of the table's files: current ones, otherwise the last measured ones."""
    seen, kept = facts.sight.health, facts.record.measurement
    names = ("file_count", "small_file_count", "avoidable_file_count", "total_bytes", "score")
    if seen is not None:
        return {"measured_at": facts.record.now, **{name: getattr(seen, name) for name in names}}
    if kept is not None:
        return {"measured_at": kept.measured_at, **{name: getattr(kept, name) for name in names}}
    return None
