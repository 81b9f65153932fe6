"""Choice of the engine for a table: Packhouse's own kernel if possible, otherwise the table format's own engine.

A procedure can't be throttled. It is admitted only if at least one of its tasks fits under the limits at the measured
rate of a task, and gets at most as many tasks as fit; between partitions the run waits for any excess over the limits.
Reads manifests: call in a thread.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from engine.domain.fleet.budgets import Budget
from engine.domain.policies import EffectivePolicy
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder
from engine.domain.values.units import format_bytes
from engine.formats.base import Condition, Engine, EngineTraits, OpenTable, RewriteEngine
from engine.formats.base.engines import BY_METADATA
from engine.rewriting.kernel.errors import (
    INT96_TIMESTAMPS,
    NO_FIELD_IDS,
    UNREADABLE_LAYOUT,
    UNSUPPORTED_DELETE_FILE,
    UNSUPPORTED_STORAGE,
)
from engine.services.planning.upkeep.copies import copies_condition

TASK_BYTES_PER_SECOND: Final = 32 * 2**20
"""Bytes that one procedure task reads and writes a second: 15 MB of input on one core, and about as much output."""

BY_NATIVE: Final = "engine_native"
"""Code of the condition with the reason why the procedure is used."""

_DONE_NATIVELY: Final = frozenset(
    {NO_FIELD_IDS, INT96_TIMESTAMPS, UNREADABLE_LAYOUT, UNSUPPORTED_DELETE_FILE, UNSUPPORTED_STORAGE}
)
"""Refusals of the kernel because of missing features of Arrow or the kernel, not because of the table."""


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine of a table under a policy.

    If no engine can rewrite the table (`is_possible` is False), `engine` is the kernel, whose plan is shown, and
    `conditions` has the failed ones of every requested engine.
    """

    engine: RewriteEngine
    table: OpenTable
    policy: EffectivePolicy
    conditions: tuple[Condition, ...]
    is_possible: bool = True

    @property
    def traits(self) -> EngineTraits:
        """Those of the engine."""
        return self.engine.traits


def choose_engine(opened: OpenTable, policy: EffectivePolicy) -> EngineChoice:
    """Return the engine that `rewrite.engine` names; for `auto` the kernel if all its conditions hold."""
    wanted, engines = policy.requested_engine, opened.engines
    by_kernel, native = engines[Engine.ARROW], engines.get(Engine.NATIVE)
    kernel: tuple[Condition, ...] = ()
    if wanted != Engine.NATIVE:
        order, moves = RequestedOrder.of(policy.values), policy.moves_to_current_spec
        kernel = (*by_kernel.conditions(order, moves_to_current_spec=moves), *_of_policy(opened, policy))
        if all(each.holds for each in kernel):
            return EngineChoice(by_kernel, opened, policy, kernel)
    if wanted == Engine.ARROW or native is None:
        return EngineChoice(by_kernel, opened, policy, kernel, is_possible=False)
    traits = native.traits
    conditions = (*native.conditions(), *_of_settings(policy, traits))
    if all(each.holds for each in conditions):
        return EngineChoice(native, opened, policy, (_reason(traits, kernel), *conditions))
    failed = (*kernel, *(each for each in conditions if not each.holds))
    return EngineChoice(by_kernel, opened, policy, failed, is_possible=False)


def _of_policy(opened: OpenTable, policy: EffectivePolicy) -> tuple[Condition, ...]:
    """Return the conditions that depend on the policy as well."""
    key = DeclaredKey.of(policy.values)
    keyed = None if key is None else opened.key_condition(key)
    return (*copies_condition(opened, policy), *(() if keyed is None else (keyed,)))


def remedy_for(reason: str, opened: OpenTable, policy: EffectivePolicy) -> str:
    """Return, as a clause, what to do about groups that an engine refused; empty if the procedure would not help.

    `reason`: one of `kernel.errors.REASONS`. `opened`: the table of the run, whose engine may be the procedure.
    """
    asked = replace(policy, values={**policy.values, "rewrite.engine": Engine.NATIVE})
    if reason not in _DONE_NATIVELY or choose_engine(opened, policy).traits.name is Engine.NATIVE:
        return ""
    if not choose_engine(opened, asked).is_possible:
        return ""
    return "; rewrite.engine: native makes the table format's own procedure rewrite it"


def tasks_within(limit: Budget, most: int) -> int:
    """Return how many tasks of the procedure, at most `most`, fit under a limit; 0 when not even one does."""
    if limit.requests_per_second is not None:
        return 0
    rate = limit.bytes_per_second
    return most if rate is None else min(most, int(rate // TASK_BYTES_PER_SECOND))


def too_slow(limit: Budget) -> str:
    """Return why no task fits under a limit, and what to do."""
    if limit.requests_per_second is not None:
        return "the procedure's requests can't be limited: leave limits.requests out"
    rate = format_bytes(round(limit.bytes_per_second or 0))
    task = format_bytes(TASK_BYTES_PER_SECOND)
    return f"one task of the procedure moves about {task}/s and can't be slowed, the limit is {rate}/s: raise it"


def _of_settings(policy: EffectivePolicy, engine: EngineTraits) -> Iterator[Condition]:
    by_property, strategy = engine.by_property, policy.strategy
    able = ", ".join(sorted(engine.strategies))
    yield Condition("native_strategy", strategy in engine.strategies, f"{strategy}; {engine.label} does {able} only")
    yield _verification(policy.verification, engine)
    told = [
        f"{name} (set the table property {by_property[name]} instead)" if name in by_property else name
        for name in engine.unfollowed(policy)
    ]
    detail = f"it does not support {', '.join(told)}" if told else "it supports all settings"
    yield Condition("native_settings", not told, detail)
    if engine.is_paced:
        return
    limit = policy.budget()
    tasks = tasks_within(limit, policy.parallel_groups)
    yield Condition("native_rate", tasks > 0, f"{tasks} tasks fit under the limits" if tasks else too_slow(limit))


def _verification(mode: str, engine: EngineTraits) -> Condition:
    name = "native_verification"
    if mode == BY_METADATA or not engine.checks_rows:
        return Condition(name, engine.verifies(mode), f"{mode}; its rewrites are proven from metadata")
    limit = f"; {engine.check_limit}" if engine.check_limit else ""
    return Condition(name, True, f"{mode}; its tasks compare rows before the commit{limit}")


def _reason(engine: EngineTraits, kernel: tuple[Condition, ...]) -> Condition:
    why = "; ".join(f"{each.name}: {each.detail}" for each in kernel if not each.holds)
    detail = (
        f"{engine.label}, because Packhouse's kernel does not support it ({why})"
        if why
        else f"{engine.label}, as rewrite.engine asks for"
    )
    return Condition(BY_NATIVE, True, detail)
