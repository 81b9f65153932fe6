"""Choice of the engine for a table: Packhouse's own kernel if possible, otherwise the table format's own engine.

A procedure can't be throttled. It is admitted only if at least one of its tasks fits under the limits at the measured
rate of a task, and gets at most as many tasks as fit; between partitions the run waits for any excess over the limits.
Reads manifests: call in a thread.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from engine.domain.fleet.budgets import Budget
from engine.domain.policies import EffectivePolicy
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder
from engine.domain.values.units import format_bytes
from engine.formats.base import Condition, NativeEngine, OpenTable
from engine.formats.base.native import BY_METADATA
from engine.planning.plans.groupings import Grouping
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


class Engine(StrEnum):
    """Values of `rewrite.engine` besides `auto`."""

    ARROW = "arrow"
    NATIVE = "native"


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine of a table under a policy, with the table adapted to it.

    `engine` is None when no engine can rewrite it; `conditions` then has the failed ones of every requested engine.
    """

    engine: Engine | None
    table: OpenTable
    policy: EffectivePolicy
    conditions: tuple[Condition, ...]

    @property
    def native(self) -> NativeEngine | None:
        """The engine of the table's format if that is chosen, otherwise None."""
        return self.table.native_engine() if self.engine is Engine.NATIVE else None

    @property
    def grouping(self) -> Grouping:
        """The file groups of the engine; without an engine, those of the kernel."""
        native = self.native
        return self.table.kernel_grouping() if native is None else native.grouping


def choose_engine(opened: OpenTable, policy: EffectivePolicy) -> EngineChoice:
    """Return the engine that `rewrite.engine` names; for `auto` the kernel if all its conditions hold."""
    wanted = policy.requested_engine
    kernel: tuple[Condition, ...] = ()
    if wanted != Engine.NATIVE:
        order, moves = RequestedOrder.of(policy.values), policy.moves_to_current_spec
        kernel = (*opened.conditions(order, moves_to_current_spec=moves), *_of_policy(opened, policy))
        if all(each.holds for each in kernel):
            return EngineChoice(Engine.ARROW, opened, policy, kernel)
    engine, native = opened.native_engine(), opened.planned_natively()
    if wanted == Engine.ARROW or engine is None or native is None:
        return EngineChoice(None, opened, policy, kernel)
    conditions = (*native.conditions(), *_of_settings(policy, engine))
    if all(each.holds for each in conditions):
        return EngineChoice(Engine.NATIVE, native, policy, (_reason(engine, kernel), *conditions))
    return EngineChoice(None, opened, policy, (*kernel, *(each for each in conditions if not each.holds)))


def _of_policy(opened: OpenTable, policy: EffectivePolicy) -> tuple[Condition, ...]:
    """Return the conditions that depend on the policy as well."""
    key = DeclaredKey.of(policy.values)
    keyed = None if key is None else opened.key_condition(key)
    return (*copies_condition(opened, policy), *(() if keyed is None else (keyed,)))


def remedy_for(reason: str, opened: OpenTable, policy: EffectivePolicy) -> str:
    """Return, as a clause, what to do about groups that the kernel refused; empty if the procedure would not help.

    `reason`: one of `kernel.errors.REASONS`. `opened`: the table that the kernel rewrote.
    """
    asked = replace(policy, values={**policy.values, "rewrite.engine": Engine.NATIVE})
    if reason not in _DONE_NATIVELY or choose_engine(opened, asked).engine is not Engine.NATIVE:
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


def _of_settings(policy: EffectivePolicy, engine: NativeEngine) -> Iterator[Condition]:
    by_property, strategy = engine.by_property, policy.strategy
    able = ", ".join(sorted(engine.strategies))
    yield Condition("native_strategy", strategy in engine.strategies, f"{strategy}; {engine.name} does {able} only")
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


def _verification(mode: str, engine: NativeEngine) -> Condition:
    name = "native_verification"
    if mode == BY_METADATA or not engine.checks_rows:
        return Condition(name, engine.verifies(mode), f"{mode}; its rewrites are proven from metadata")
    limit = f"; {engine.check_limit}" if engine.check_limit else ""
    return Condition(name, True, f"{mode}; its tasks compare rows before the commit{limit}")


def _reason(engine: NativeEngine, kernel: tuple[Condition, ...]) -> Condition:
    why = "; ".join(f"{each.name}: {each.detail}" for each in kernel if not each.holds)
    detail = (
        f"{engine.name}, because Packhouse's kernel does not support it ({why})"
        if why
        else f"{engine.name}, as rewrite.engine asks for"
    )
    return Condition(BY_NATIVE, True, detail)
