"""Rules of a policy in words: why a table is due, what a rule still lacks, and advice if no rule will ever be met.

Explain and health use the same sentences.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from engine.domain.policies import EffectivePolicy
from engine.domain.remedies import Statement, Value
from engine.domain.runs.reasons import OF_PARTITIONS
from engine.domain.values.partitions import partition_text
from engine.planning.due.evaluations import Evaluation
from engine.planning.due.rule_logic import Branch, Term, is_met
from engine.planning.due.triggers import MeasuredCondition, RuleState
from engine.services.planning.wording import count_of, figure, place

ADVISED_SHARE: Final = 0.1
"""Least share of avoidable files in the table's data files for advice: a few left-over files cost readers little."""

_OPERATORS: Final = {"at_least": "at least", "above": "more than", "at_most": "at most", "below": "less than"}


def due_rule(rule: RuleState) -> str:
    """Return in words why a rule makes partitions, or the table, due."""
    if rule.shown is None:
        return f"Rule '{rule.name}' makes the table due: {_decisive(rule.logic, rule.conditions, met=True)}."
    where = f"{count_of(rule.due_total, 'partition')} due" + (", most of all" if rule.due_total > 1 else ":")
    return f"Rule '{rule.name}' makes {where} {place(rule.shown)}: {_decisive(rule.logic, rule.conditions, met=True)}."


def due_statement(rule: RuleState) -> Statement:
    """Return why a rule makes partitions, or the table, due."""
    shown = None if rule.shown is None else partition_text(rule.shown.partition)
    values: dict[str, Value] = {"rule": rule.name, "partitions": rule.due_total, "partition": shown}
    return Statement("due", due_rule(rule), values)


def other_rule(rule: RuleState) -> str:
    """Return in words what a rule that is not due lacks, in the partition that is nearest to it."""
    if rule.held_back:
        why = "; ".join(
            f"{count_of(count, 'partition')}: {OF_PARTITIONS[code]}" for code, count in rule.held_back.items()
        )
        return f"Rule '{rule.name}' holds, but makes nothing due: {why}."
    failed = [condition for condition in rule.conditions if not condition.is_met]
    if rule.shown is None and all(condition.measured is None for condition in failed):
        return f"Rule '{rule.name}' is not due: {failed[0].detail}."
    nearest = f" nearest is {place(rule.shown)}:" if rule.shown is not None else ""
    return f"Rule '{rule.name}' is not due:{nearest} {_decisive(rule.logic, rule.conditions, met=False)}."


def never_due_advice(evaluation: Evaluation, policy: EffectivePolicy) -> list[Statement]:
    """Return statements on what to change if avoidable files stay for good; empty if they are few or will be due."""
    left = evaluation.never_due
    if left.files == 0 or left.files < ADVISED_SHARE * left.of_files:
        return []
    where, unless = count_of(left.partitions, "partition"), " unless more files are written" if evaluation.rules else ""
    avoidable = f"{left.files} of its {count_of(left.of_files, 'file')} are avoidable"
    counted = {"files": left.files, "of_files": left.of_files, "partitions": left.partitions}
    found = [Statement("never_due", f"{avoidable} and in {where} that no rule makes due{unless}.", counted)]
    if left.too_few_files:
        least, origin = policy.min_input_files, policy.origins["rewrite.min_input_files"]
        text = (
            f"{left.too_few_files} of them are in partitions with fewer candidates than rewrite.min_input_files "
            f"({least}, {origin}): lower it."
        )
        values: dict[str, Value] = {"files": left.too_few_files, "min_input_files": least, "origin": origin}
        found.append(Statement("too_few_files", text, values))
    if left.files > left.too_few_files:
        origin = policy.origins.get("triggers", "default")
        text = (
            f"Add a rule to triggers ({origin}), such as small_file_count at least 2 and newest_file_age at least 1h; "
            "a run by request needs none."
        )
        found.append(Statement("no_rule", text, {"origin": origin}))
    return found


def due_document(evaluation: Evaluation, policy: EffectivePolicy) -> dict[str, Any]:
    """Return whether rules make a table due and why, and advice if none ever will; JSON-ready."""
    return {
        "is_due": evaluation.is_due,
        "because": [asdict(due_statement(rule)) for rule in evaluation.rules if rule.is_due],
        "never_due": asdict(evaluation.never_due),
        "advice": [asdict(each) for each in never_due_advice(evaluation, policy)],
    }


def _decisive(logic: Branch, conditions: Sequence[MeasuredCondition], *, met: bool) -> str:
    """Return the conditions that make a rule hold (`met`), or keep it from holding."""
    found = [
        (condition_words(conditions[each.at]) if isinstance(each, Term) else _decisive(each, conditions, met=met))
        for each in logic.members
        if _is_met(each, conditions) is met
    ]
    if logic.word == "any" and len(logic.members) > 1:
        return f"{'because any of' if met else 'none of'}: {'; '.join(found)}"
    return ", ".join(found)


def _is_met(part: Branch | Term, conditions: Sequence[MeasuredCondition]) -> bool:
    branch = Branch("all", (part,)) if isinstance(part, Term) else part
    return is_met(branch, lambda term: conditions[term.at].is_met)


def condition_words(condition: MeasuredCondition) -> str:
    """Return a condition with its measured and its required value."""
    negation = "not " if condition.is_negated else ""
    wanted = f"{negation}{_OPERATORS[condition.operator]} {figure(condition.metric, condition.wanted)}"
    if condition.measured is None:
        return f"{condition.metric} {condition.detail} (wanted: {wanted})"
    bound = "at least " if condition.is_bound else ""
    return f"{condition.metric} {bound}{figure(condition.metric, condition.measured)} (wanted: {wanted})"
