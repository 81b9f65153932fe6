"""The effective policy of a table: the one place that loads all policies that cover it and merges them."""

from collections.abc import Mapping
from typing import Any

from engine.domain.errors import InvalidInput, NotFound
from engine.domain.policies import (
    PRESETS,
    EffectivePolicy,
    PolicyDocument,
    PolicyScopeKind,
    Preset,
    contradictions,
    effective_policy,
    refused_when_stored,
)
from engine.domain.tables.table import Table
from engine.domain.values.hints import did_you_mean
from engine.stores.unit_of_work import UnitOfWork


class PolicyReader:
    """Loads and merges policies, with one query for each table."""

    @staticmethod
    async def effective(
        unit: UnitOfWork, table: Table, properties: Mapping[str, Any], instead: PolicyDocument | None = None
    ) -> EffectivePolicy:
        """Return every setting that holds for a table.

        Args:
            unit: the transaction to read in.
            table: the registered table.
            properties: the policy fields that the table's own properties set, by dotted name; empty while the catalog
                does not answer.
            instead: replaces the table's own policy for a trial; its fields have the origin `trial`.
        """
        covering = await unit.policy_coverage.covering(table)
        if instead is not None:
            covering = [policy for policy in covering if policy.scope.kind is not PolicyScopeKind.TABLE]
        return effective_policy(table_properties=properties, scoped=covering, trial=instead)


def check_settings(policy: EffectivePolicy, *, is_trial: bool = False) -> None:
    """Raise `InvalidInput` with the settings to change if settings contradict one another.

    With `is_trial` also if the policy could not be stored although runs would continue with it.
    """
    if problems := [*contradictions(policy), *(refused_when_stored(policy) if is_trial else ())]:
        what = "; ".join(f"{each.pointer[1:].replace('/', '.')} {each.message}" for each in problems)
        raise InvalidInput(f"the policy contradicts itself on this table: {what}", problems=tuple(problems))


def find_preset(name: str) -> Preset:
    """Return a preset, or raise `NotFound` with the most similar name."""
    preset = PRESETS.get(name)
    if preset is None:
        raise NotFound(f"no preset {name!r}; {did_you_mean(name, PRESETS)}")
    return preset


def settings_document(policy: EffectivePolicy) -> dict[str, dict[str, Any]]:
    """Return every setting by dotted name: its value in the API's form, and its origin."""
    return {name: {"value": value, "origin": policy.origins[name]} for name, value in sorted(policy.written().items())}
