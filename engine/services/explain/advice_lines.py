"""Sentences of an explanation about the table's files, and about settings that would change the answer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.domain.policies import EffectivePolicy
from engine.domain.remedies import Statement, remedy
from engine.domain.runs.turns import new_rows_ahead
from engine.domain.values.instants import format_minute
from engine.domain.values.units import format_bytes, round_duration
from engine.planning.due.evaluations import asks_old_specs, asks_order
from engine.planning.due.full_rewrites import INTERVAL
from engine.planning.measures.metadata import MetadataHealth
from engine.services.explain.facts import Facts
from engine.services.planning.rule_words import never_due_advice
from engine.services.planning.upkeep.histories import EXPIRE
from engine.services.planning.upkeep.operations import deletes_files, switched_on
from engine.services.planning.wording import count_of

HISTORY_SHARE: Final = 0.1
"""Share of a table's bytes from which files that only old snapshots need are named."""


def state_of_files(facts: Facts) -> Iterator[str]:
    """Yield the state of the table's files, as measured now."""
    found = facts.sight.health
    if found is not None and found.file_count:
        yield (
            f"{count_of(found.file_count, 'file')} in {count_of(found.partition_count, 'partition')}, "
            f"{format_bytes(found.average_file_bytes)} on average, {found.small_file_count} below "
            f"{format_bytes(found.small_file_bytes)}; score {found.score} of 100."
        )
        if found.outside_file_count:
            yield (
                f"{count_of(found.outside_file_count, 'file')} or their deletes are outside of the table's location: "
                "their partitions are left alone, unless its catalog has outside_files: allowed_locations."
            )
        if found.old_spec_file_count:
            yield (
                f"{count_of(found.old_spec_file_count, 'file')} ({format_bytes(found.old_spec_bytes)}) are under older "
                f"partition specs: {_old_specs(facts.policy)}."
            )
        if found.read_optimized_until is not None:
            until = found.read_optimized_until
            age = round_duration(max(0, (facts.record.now - until).total_seconds()))
            yield (
                f"Read-optimized views lack rows committed since {format_minute(until)}, {age} ago: "
                f"a full compaction brings them to the last level ({INTERVAL}: {facts.policy.written()[INTERVAL]})."
            )
        yield from _history(found.metadata, found.total_bytes, facts.policy)
        if found.small_row_group_file_count and found.small_row_group_bytes is not None:
            yield (
                f"{count_of(found.small_row_group_file_count, 'file')} of many row groups below "
                f"{format_bytes(found.small_row_group_bytes)}: a rewrite merges them, regardless of the file size."
            )


def place_in_queue(facts: Facts) -> Iterator[str]:
    """Yield how far files of level 0 let runs of the table precede others, see `domain.runs.turns`."""
    health = facts.sight.health
    if health is None or health.fullest_bucket is None or not health.level0_file_count:
        return
    count, is_hidden = health.level0_file_count, health.fullest_bucket.hides_level0
    files = f"A bucket has {count_of(count, 'file')} of level 0"
    minutes = new_rows_ahead(count, is_hidden=is_hidden).total_seconds() / 60
    if is_hidden:
        yield (
            f"{files}, which readers skip until they are compacted: the table's runs precede others of their priority, "
            f"by {minutes:.0f} min of waiting."
        )
    else:
        yield f"{files}: the table's runs precede others that waited as long by up to {minutes:.0f} min."


def _history(metadata: MetadataHealth, total_bytes: int, policy: EffectivePolicy) -> Iterator[str]:
    """Yield what old snapshots cost, if it is more than `HISTORY_SHARE` and the policy has no operation against it."""
    frees = any(deletes_files(policy, each) for each in switched_on(policy))
    if not frees and metadata.history_bytes > HISTORY_SHARE * total_bytes:
        yield (
            f"Old snapshots need at most {format_bytes(metadata.history_bytes)} of files that the newest one does not: "
            f"{EXPIRE} with delete_files would delete them."
        )


def _old_specs(policy: EffectivePolicy) -> str:
    if policy.moves_to_current_spec:
        return "a rewrite moves their rows to the partitions of the current one"
    return (
        "a rewrite merges them only with files of the same spec and partition; rewrite.output_spec: current would move "
        "their rows"
    )


def helpful_changes(facts: Facts) -> Iterator[Statement]:
    """Yield the settings that would change the answer; none if the table can't be rewritten at all."""
    evaluation, policy = facts.sight.evaluation, facts.policy
    if facts.sight.trial is None or evaluation is None or not facts.sight.trial.is_eligible:
        return
    submit = remedy("submit_run", table_id=facts.record.table.id)
    nearly = any(rule.held_back for rule in evaluation.rules)
    if advice := never_due_advice(evaluation, policy):
        yield from (replace(each, code="advice") for each in advice)
    elif facts.sight.trial.plan.reordered_files and not asks_order(policy):
        origin = policy.origins.get("triggers", "default")
        text = (
            f"Automatic runs rewrite no file only for its order: add a rule on unordered_share to triggers ({origin}); "
            "a run by request needs none."
        )
        yield Statement("advice", text, {"origin": origin}, submit)
    elif facts.sight.trial.plan.moved_files and not evaluation.is_due and not asks_old_specs(policy):
        origin = policy.origins.get("triggers", "default")
        text = (
            f"No rule makes partitions of older specs due: add one on old_spec_file_count to triggers ({origin}); "
            "a run by request needs none."
        )
        yield Statement("advice", text, {"origin": origin}, submit)
    elif not evaluation.is_due and not nearly and facts.sight.trial.plan.groups:
        origin = policy.origins.get("triggers", "default")
        text = f"To make it due sooner, change triggers in its policy ({origin}); a run by request needs none."
        yield Statement("advice", text, {"origin": origin}, submit)
    if any("too_few_files" in rule.held_back for rule in evaluation.rules):
        least, origin = policy.min_input_files, policy.origins["rewrite.min_input_files"]
        text = f"To take smaller partitions, lower rewrite.min_input_files ({least}, {origin})."
        yield Statement("advice", text, {"min_input_files": least, "origin": origin})
