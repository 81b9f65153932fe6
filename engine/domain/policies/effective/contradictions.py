"""Contradictions between settings. Each may come from another layer, so only the merged policy can be checked."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from engine.domain.errors import FieldProblem
from engine.domain.policies.documents.fields import OFF
from engine.domain.policies.documents.rewriting import Strategy
from engine.domain.policies.effective.merging import (
    FORCED_EVERY,
    LOOKUP,
    SORTED_RUN_TRIGGER,
    STOP_TRIGGER,
    EffectivePolicy,
)
from engine.domain.policies.effective.scopes import PolicyScopeKind
from engine.domain.policies.effective.windows import Windows
from engine.domain.tables.orders import ORDERED_STRATEGIES
from engine.domain.values.units import format_bytes

_TARGET: Final = "rewrite.target_file_bytes"
_WEAKER: Final = ("default", "table property", "preset")
_STRENGTH: Final = (*_WEAKER, *PolicyScopeKind, "trial")
"""First words of origins, weakest first."""
_CURVES: Final = ORDERED_STRATEGIES - {"sort"}
_A_MONDAY: Final = datetime(2026, 1, 5, tzinfo=UTC)


def contradictions(policy: EffectivePolicy) -> list[FieldProblem]:
    """Return one problem for each setting that contradicts another; each hint names the other with its origin."""
    return [*_sizes(policy), *_stop_trigger(policy), *_share(policy), *_strategy(policy), *_never_open(policy)]


def refused_when_stored(policy: EffectivePolicy) -> list[FieldProblem]:
    """Return problems for which a policy is not stored, although one that has them stops no run."""
    return [*raised_group_sizes(policy), *ineffective_intervals(policy)]


def ineffective_intervals(policy: EffectivePolicy) -> list[FieldProblem]:
    """Return a problem if `forced_every` is set where new rows are compacted at each commit, so that it has no effect.

    One that a wider scope sets for other tables stays valid. It can also result from a table option that changes later,
    or from a policy of an earlier version.
    """
    if not policy.is_lookup_eager:
        return []
    origin, eager = policy.origins[FORCED_EVERY], policy.origins[LOOKUP]
    if origin.startswith(_WEAKER) or (origin != eager and _strength(origin) <= _strength(eager)):
        return []
    message = f"applies only with {LOOKUP} 'lazy' (here it is 'eager', {eager})"
    hint = f"set {LOOKUP} to 'lazy', or leave {FORCED_EVERY} out"
    return [_problem(FORCED_EVERY, message, policy.forced_every, hint)]


def raised_group_sizes(policy: EffectivePolicy) -> list[FieldProblem]:
    """Return a problem if the group size is set below the target size; runs use the target size instead.

    A group smaller than its output file could never fill it. Such a policy is refused when it is stored; it can still
    result from a table property that raises the target later, or from a policy of an earlier version. Neither stops a
    run.
    """
    ordered = policy.strategy in ORDERED_STRATEGIES
    name = "rewrite.max_ordered_bytes" if ordered else "rewrite.max_group_bytes"
    size, target, origin = int(policy.values[name]), policy.target_bytes, policy.origins[name]
    if size >= target or origin == "default":
        return []
    wanted = f"{_TARGET} of {format_bytes(target)} ({policy.origins[_TARGET]})"
    return [
        _problem(name, f"is {format_bytes(size)} ({origin}), below {wanted}", size, f"raise it, or lower {_TARGET}")
    ]


def _sizes(policy: EffectivePolicy) -> Iterator[FieldProblem]:
    target = policy.target_bytes
    hint = f"the target is {format_bytes(target)} ({policy.origins[_TARGET]}); change one of the two"
    if policy.small_bytes > target:
        yield _problem("rewrite.small_file_bytes", "must not be above the target", policy.small_bytes, hint)
    large = policy.large_bytes
    if large is not None and large <= target:
        yield _problem("rewrite.large_file_bytes", "must be above the target", large, hint)


def _stop_trigger(policy: EffectivePolicy) -> Iterator[FieldProblem]:
    trigger, stop = policy.sorted_run_trigger, int(policy.values[STOP_TRIGGER])
    if stop < trigger and not policy.origins[STOP_TRIGGER].startswith("table property"):
        hint = f"{SORTED_RUN_TRIGGER} is {trigger} ({policy.origins[SORTED_RUN_TRIGGER]}); change one of the two"
        yield _problem(STOP_TRIGGER, "must not be below the trigger", stop, hint)


def _share(policy: EffectivePolicy) -> Iterator[FieldProblem]:
    share = policy.values["limits.share_percent"]
    if share != OFF and policy.values["limits.available_bandwidth"] == OFF:
        origin = policy.origins["limits.share_percent"]
        yield _problem(
            "limits.available_bandwidth",
            f"must be set, since limits.share_percent is {share:g} ({origin})",
            OFF,
            "set the available bandwidth in bytes per second, such as '400MB', or set limits.share_percent to 'off'",
        )


def _strategy(policy: EffectivePolicy) -> Iterator[FieldProblem]:
    strategy, columns = policy.strategy, policy.values["rewrite.columns"]
    origin = policy.origins["rewrite.strategy"]
    if strategy in _CURVES and not columns:
        yield _problem("rewrite.columns", f"must name columns: the strategy is {strategy} ({origin})", [], None)
    if strategy not in ORDERED_STRATEGIES and columns:
        hint = f"set rewrite.strategy to one of them (it is {strategy}, {origin}), or rewrite.columns to []"
        yield _problem("rewrite.columns", "apply to sort, zorder and hilbert only", None, hint)
    if strategy in _CURVES and any(set(column) - {"name"} for column in columns):
        hint = f"write only names, or set rewrite.strategy to 'sort' (it is {strategy}, {origin})"
        yield _problem("rewrite.columns", "direction and nulls apply to sort only", None, hint)
    target, last = policy.target_bytes, int(policy.values["rewrite.tiers"][-1]["below_bytes"])
    if strategy is Strategy.TIERED and last > target:
        hint = f"the target is {format_bytes(target)} ({policy.origins[_TARGET]}); change one of the two"
        yield _problem("rewrite.tiers", "the last tier must not reach above the target", last, hint)


def _never_open(policy: EffectivePolicy) -> Iterator[FieldProblem]:
    if not policy.values["quiet_hours"] or policy.values["schedule.urgent_after"] != OFF:
        return
    weekly = Windows(policy.document().quiet_hours or ())
    if weekly.state_at(_A_MONDAY).inside and weekly.state_at(_A_MONDAY).ends_at is None:
        hint = "leave a part of the week free, set schedule.urgent_after, or set enabled: false"
        yield _problem("quiet_hours", "they cover the whole week: nothing would ever be rewritten", None, hint)


def _strength(origin: str) -> int:
    return next((at for at, first in enumerate(_STRENGTH) if origin.startswith(first)), 0)


def _problem(name: str, message: str, value: Any, hint: str | None) -> FieldProblem:
    return FieldProblem("/" + name.replace(".", "/"), message, value, hint)
