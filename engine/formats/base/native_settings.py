"""Settings of a policy that a table format's own engine does not follow."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from engine.domain.errors import FieldProblem
from engine.domain.policies import DEFAULTS, OFF, EffectivePolicy
from engine.formats.base.native import NativeEngine, OwnEngine

BY_METADATA: Final = "metadata"
"""The verification that needs no engine: from the table's metadata."""

_KNOWN_TO_IT: Final = frozenset({"default", "table property"})
"""Origins of settings that an engine knows without an option."""

_REWRITE: Final = "rewrite."
_FOLLOWED: Final = frozenset(
    f"{_REWRITE}{each}"
    for each in (
        *("columns", "deletes.files", "deletes.ratio", "deletes.remove_dangling", "engine", "full.always_below_bytes"),
        *("full.eligibility", "full.interval", "full.size_amplification_percent", "full.when_increment_above_bytes"),
        *("key", "key_tables.forced_every", "key_tables.lookup", "key_tables.sorted_run_trigger", "large_file_bytes"),
        "key_tables.stop_trigger",
        *("max_group_bytes", "max_ordered_bytes", "max_time_span", "min_input_files", "order_bins_by", "output_spec"),
        *("small_file_bytes", "small_row_group_bytes", "strategy", "target_file_bytes", "tiers"),
    )
)
"""Settings of `rewrite` that apply with every engine: planning follows or checks them, or each engine has an option."""

_OF_CHOSEN_FILES: Final = frozenset({f"{_REWRITE}exclude_above_bytes"})
"""Settings that also apply where an engine merges no other files than planning chose for a group."""


def unfollowed_settings(policy: EffectivePolicy, engine: NativeEngine) -> list[str]:
    """Return the dotted names of the settings of `rewrite` that a policy sets and an engine does not follow, sorted."""
    followed = _FOLLOWED if engine.form.is_whole else _FOLLOWED | _OF_CHOSEN_FILES
    return sorted(
        name
        for name, value in policy.values.items()
        if name.startswith(_REWRITE)
        and name not in followed
        and policy.origins.get(name, "default") not in _KNOWN_TO_IT
        and value != OFF
    )


@dataclass(frozen=True, slots=True)
class OwnEngineRules:
    """What the engine of a table's own format asks of a policy. `is_needed`: no other engine can rewrite the table."""

    engine: NativeEngine
    by_property: Mapping[str, str]
    is_needed: bool

    @classmethod
    def of(cls, table: OwnEngine) -> "OwnEngineRules":
        """Read them from an open table. May block."""
        return cls(table.native_engine(), table.settings_by_property(), table.needs_own_engine)

    def problems(self, policy: EffectivePolicy) -> Iterator[FieldProblem]:
        """Yield one problem for each setting because of which no engine would rewrite the table.

        There are none while the kernel may be able to rewrite it, which depends on its files. Strategies of an engine
        are in the capabilities of the format.
        """
        is_asked_for = policy.values["rewrite.engine"] == "native"
        if not is_asked_for and not self.is_needed:
            return
        engine = self.engine
        why = "rewrite.engine is native" if is_asked_for else "the only engine for this table"
        for name in unfollowed_settings(policy, engine):
            if name in self.by_property:
                remedy = f"set the table property {self.by_property[name]} instead"
            else:
                remedy = f"set it to {OFF!r}" if DEFAULTS.get(name) == OFF else "leave it out"
            yield _problem(name, f"is not supported by {engine.name} ({why})", policy, remedy)
        if policy.verification != BY_METADATA and not engine.checks_rows:
            message = f"is not supported by {engine.name} ({why}), whose rewrites are proven from metadata"
            yield _problem("verification", message, policy, f"set it to {BY_METADATA!r}")


def _problem(name: str, message: str, policy: EffectivePolicy, remedy: str) -> FieldProblem:
    hint = f"{remedy}; origin: {policy.origins.get(name, 'default')}"
    return FieldProblem("/" + name.replace(".", "/"), message, policy.values[name], hint)
