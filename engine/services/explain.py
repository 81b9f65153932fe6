"""Why a table did or did not run, and what a run would do now.

Every setting with its origin, every condition with what was found, the live and the last run, a summary in sentences.
Reasons of skipped partitions are counted over those that the plan lists (a thousand at most).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from engine.domain.policies import EffectivePolicy
from engine.domain.runs import Run, RunState
from engine.domain.tables import Table
from engine.domain.units import format_bytes
from engine.services.trials import Trial, plan_document

_IN_WORDS: Final[Mapping[str, str]] = {
    "well_sized": "their files have the right size",
    "too_few_files": "fewer candidates than rewrite.min_input_files",
    "as_good_as_it_gets": "a rewrite would not make fewer files",
    "excluded_above": "what could be rewritten is above rewrite.exclude_above_bytes",
    "equality_deletes": "equality deletes, which the rewrite does not apply",
    "encrypted": "encrypted files, which the rewrite does not read",
    "not_parquet": "files that are not Parquet",
}


def explain(
    table: Table, policy: EffectivePolicy, trial: Trial, *, live: Run | None, last: Run | None
) -> Mapping[str, Any]:
    """Return the explanation of a table whose catalog answered."""
    outcome = _outcome(policy, trial)
    now = plan_document(trial.plan)
    now.pop("groups")
    now.pop("skipped")
    reasons = dict(Counter(partition.reason for partition in trial.plan.skipped))
    sentences = [_eligibility(table, trial), *_switch(policy), *_runs(live, last), _now(outcome, trial, reasons)]
    return _document(table, policy, live, last, sentences) | {
        "eligible": trial.is_eligible,
        "conditions": [asdict(condition) for condition in trial.conditions],
        "now": {"outcome": outcome, "skipped_reasons": reasons, **now},
    }


def explain_unreachable(
    table: Table, policy: EffectivePolicy, why: str, *, live: Run | None, last: Run | None
) -> Mapping[str, Any]:
    """Return what can be said while the catalog does not answer: settings without the table's own properties."""
    sentences = [
        f"{table.ref} can't be looked at now: {why}.",
        "The settings shown leave out what the table's own properties say.",
        *_switch(policy),
        *_runs(live, last),
    ]
    return _document(table, policy, live, last, sentences) | {
        "eligible": None,
        "conditions": [],
        "now": {"outcome": "unknown", "detail": why},
    }


def _document(
    table: Table, policy: EffectivePolicy, live: Run | None, last: Run | None, sentences: list[str]
) -> dict[str, Any]:
    return {
        "table_id": table.id,
        "table": str(table.ref),
        "summary": sentences,
        "settings": {
            name: {"value": value, "origin": policy.origins[name]} for name, value in sorted(policy.values.items())
        },
        "live_run": live,
        "last_run": last,
    }


def _outcome(policy: EffectivePolicy, trial: Trial) -> str:
    if not trial.is_eligible:
        return "refused"
    if not policy.enabled:
        return "disabled"
    return "rewrite" if trial.plan.groups else "nothing_to_do"


def _eligibility(table: Table, trial: Trial) -> str:
    failed = [f"{condition.name} ({condition.detail})" for condition in trial.conditions if not condition.holds]
    if failed:
        return f"{table.ref} can't be rewritten as it stands: {'; '.join(failed)}."
    return f"{table.ref} can be rewritten: all {len(trial.conditions)} conditions hold."


def _switch(policy: EffectivePolicy) -> list[str]:
    if policy.enabled:
        return []
    return [f"Its policy has enabled: false ({policy.origins['enabled']}): it is looked at and never rewritten."]


def _runs(live: Run | None, last: Run | None) -> list[str]:
    sentences = []
    if live is not None and live.state is RunState.QUEUED and live.waiting_for is not None:
        until = f" until {live.not_before:%Y-%m-%d %H:%M:%S} UTC" if live.not_before else ""
        sentences.append(f"Run {live.id} waits{until}: {live.waiting_for}{_because(live)}.")
    elif live is not None:
        sentences.append(f"Run {live.id} is {live.state}, in attempt {live.attempt}.")
    if last is None:
        sentences.append("No run of it has ended yet.")
    else:
        sentences.append(f"Its last run, {last.id}, {_ended(last)}{_because(last)}{_effect(last)}.")
    return sentences


def _ended(run: Run) -> str:
    verb = {RunState.SUCCEEDED: "succeeded", RunState.FAILED: "failed", RunState.SKIPPED: "found nothing to do"}
    at = f" at {run.finished_at:%Y-%m-%d %H:%M:%S} UTC" if run.finished_at else ""
    return verb.get(run.state, "was cancelled") + at


def _because(run: Run) -> str:
    parts = [part for part in (run.reason, run.detail) if part]
    return f" ({': '.join(parts)})" if parts else ""


def _effect(run: Run) -> str:
    removed, added = run.result.get("rewritten_files"), run.result.get("added_files")
    return f" and made {added} files of {removed}" if removed and added is not None else ""


def _now(outcome: str, trial: Trial, reasons: Mapping[str, int]) -> str:
    expected = trial.plan.prediction
    what = (
        f"{expected.input_files} files ({format_bytes(expected.input_bytes)}) in {len(trial.plan.groups)} groups into "
        f"about {expected.output_files}"
    )
    match outcome:
        case "rewrite":
            took = f" in about {expected.seconds:.0f} s" if expected.seconds is not None else ""
            return f"A run now would rewrite {what}{took}."
        case "nothing_to_do":
            because = "; ".join(f"{count} partitions: {_IN_WORDS.get(name, name)}" for name, count in reasons.items())
            return f"A run now would find nothing to do{': ' + because if because else ', the table has no files'}."
        case _:
            return f"A run now would change nothing; without what stands in the way it would rewrite {what}."
