"""The effective policy: every setting that applies to a table, with its origin.

Layers, weakest first: built-in defaults, the table's own properties, the preset (the one that the strongest scope
names, otherwise `balanced`), then policies by the strength of their scopes: fleet, team, catalog, namespaces from outer
to inner, patterns, labels, the table's own; last a trial policy. Merging is by leaf: a leaf of a stronger layer
replaces that of a weaker one, except in `FLOORS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache, partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

from engine.domain.fleet.budgets import Budget
from engine.domain.policies.documents.document import DEFAULT_PRESET, PolicyDocument, nested
from engine.domain.policies.documents.fields import OFF, UNLIMITED, built_in_values
from engine.domain.policies.documents.rewriting import Strategy
from engine.domain.policies.effective.presets import PRESETS
from engine.domain.policies.effective.scopes import PolicyScopeKind
from engine.domain.policies.effective.stored import StoredPolicy
from engine.domain.values.units import STORED_FORM


def _is_share(value: Any) -> bool:
    return isinstance(value, str) and value.endswith("%")


_BUILT_IN: Final[Mapping[str, Any]] = dict(built_in_values(PolicyDocument))

SHARES: Final[Mapping[str, str]] = {name: value for name, value in _BUILT_IN.items() if _is_share(value)}
"""Built-in shares of the target; sizes computed from them have the origin `derived`."""

DEFAULTS: Final[Mapping[str, Any]] = {name: value for name, value in _BUILT_IN.items() if name not in SHARES}
"""Built-in values by leaf, in internal units, as their fields declare them. The preset has the triggers."""


def _joined(given: Sequence[tuple[Mapping[str, str], str]]) -> tuple[Mapping[str, str], str]:
    """Return the labels of all policies, and the last origin that added one; of a label the widest scope's stays."""
    joined: dict[str, str] = {}
    last = given[0][1]
    for labels, origin in given:
        last = origin if labels.keys() - joined.keys() else last
        joined = {**labels, **joined}
    return joined, last


FLOORS: Final[Mapping[str, Callable[..., tuple[Any, str]]]] = MappingProxyType(
    {
        "deletion.grace": partial(max, key=itemgetter(0)),
        "deletion.surge.factor": partial(min, key=itemgetter(0)),
        "deletion.surge.share_percent": partial(min, key=itemgetter(0)),
        "spark.require": _joined,
    }
)
"""Settings of which the strictest of all policies applies, not the strongest: the largest or smallest value, or all
labels. Each makes a value and its origin of those that policies give, weakest scope first."""

SORTED_RUN_TRIGGER: Final = "rewrite.key_tables.sorted_run_trigger"
STOP_TRIGGER: Final = "rewrite.key_tables.stop_trigger"
LOOKUP: Final = "rewrite.key_tables.lookup"
FORCED_EVERY: Final = "rewrite.key_tables.forced_every"
STOP_ABOVE_TRIGGER: Final = 3
"""Built-in distance of the stop trigger from the trigger, as in Paimon (`num-sorted-run.stop-trigger`)."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Leaves from one origin."""

    origin: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Merged:
    """Leaves with the origin of each; both have the same names."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]


def merge(*layers: Layer | Merged) -> Merged:
    """Merge layers, given weakest first: the strongest value of each leaf, with its origin. Associative."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for layer in layers:
        values |= layer.values
        origins |= dict.fromkeys(layer.values, layer.origin) if isinstance(layer, Layer) else layer.origins
    return Merged(values, origins)


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """Every setting of a table by dotted name, as held, with where it came from.

    Origins: `default`, `table property`, `preset <name>`, `fleet`, `team <name>`, `catalog <name>`,
    `namespace <catalog>.<a.b>`, `pattern <policy>`, `label <key>=<value>`, `table`, `trial`, and `derived` for sizes
    made of the target and a stop trigger made of the trigger.
    """

    values: Mapping[str, Any]
    origins: Mapping[str, str]

    @property
    def enabled(self) -> bool:
        """Whether runs may rewrite the table; False: it is observed only."""
        return bool(self.values["enabled"])

    @property
    def parallel_groups(self) -> int:
        """File groups of this table that are rewritten at the same time."""
        return int(self.values["limits.parallel_groups"])

    @property
    def strategy(self) -> Strategy:
        """The strategy by which files are grouped and ordered."""
        return Strategy(self.values["rewrite.strategy"])

    @property
    def target_bytes(self) -> int:
        """The size of the files that a rewrite makes."""
        return int(self.values["rewrite.target_file_bytes"])

    @property
    def small_bytes(self) -> int:
        """The size below which a file is small."""
        return int(self.values["rewrite.small_file_bytes"])

    @property
    def large_bytes(self) -> int | None:
        """The size above which a file is split; None for never."""
        return self.bytes_of("rewrite.large_file_bytes")

    @property
    def moves_to_current_spec(self) -> bool:
        """Whether files of older partition specs are rewritten into the partitions of the current one."""
        return bool(self.values["rewrite.output_spec"] == "current")

    @property
    def small_row_group_bytes(self) -> int | None:
        """The average size of row groups below which a file is rewritten; None for never."""
        return self.bytes_of("rewrite.small_row_group_bytes")

    @property
    def min_input_files(self) -> int:
        """The least number of files that is worth a rewrite."""
        return int(self.values["rewrite.min_input_files"])

    @property
    def stop_trigger(self) -> int:
        """The number of sorted runs of a bucket at which writers should slow down, at least the trigger."""
        return max(int(self.values[STOP_TRIGGER]), self.sorted_run_trigger)

    @property
    def sorted_run_trigger(self) -> int:
        """The number of sorted runs of a bucket at which it is compacted."""
        return int(self.values[SORTED_RUN_TRIGGER])

    @property
    def is_lookup_eager(self) -> bool:
        """Whether new rows of a table that hides level 0 from readers are compacted after each commit."""
        return bool(self.values[LOOKUP] == "eager")

    @property
    def forced_every(self) -> int:
        """The number of commits after which new rows are compacted where the lookup is lazy."""
        return int(self.values[FORCED_EVERY])

    @property
    def min_interval_seconds(self) -> int | None:
        """The least time between two starts of automatic runs; None for any."""
        return self.seconds_of("schedule.min_interval")

    @property
    def verification(self) -> str:
        """The extent to which rows are compared: `metadata`, `sample` or `content`."""
        return str(self.values["verification"])

    @property
    def requested_engine(self) -> str:
        """The engine that rewrites: `auto`, `arrow` or `native`."""
        return str(self.values["rewrite.engine"])

    @property
    def compression(self) -> tuple[str, int | None]:
        """The codec of written files and its level; None for the codec's own."""
        codec, _, level = str(self.values["rewrite.compression"]).partition(":")
        return codec, int(level) if level else None

    @property
    def order_columns(self) -> Sequence[Mapping[str, Any]]:
        """The columns that strategies with an order of rows order by, with direction and nulls."""
        return tuple(self.values["rewrite.columns"])

    @property
    def full_eligibility(self) -> Mapping[str, Any] | None:
        """The least figures of a partition that a full rewrite includes; None: it includes every one."""
        value = self.values["rewrite.full.eligibility"]
        return None if isinstance(value, str) else value

    @property
    def cron(self) -> tuple[str, str] | None:
        """The expression of scheduled starts and its time zone; None without a schedule."""
        expression = self.values["schedule.cron"]
        return None if expression == OFF else (str(expression), str(self.values["schedule.time_zone"]))

    @property
    def deletion_grace(self) -> timedelta:
        """The time between the announcement of the first deletion and its start."""
        return timedelta(seconds=self.values["deletion.grace"])

    def bytes_of(self, name: str) -> int | None:
        """Return a size, None when it is `off` or `unlimited`."""
        value = self.values[name]
        return None if value in (OFF, UNLIMITED) else int(value)

    def seconds_of(self, name: str) -> int | None:
        """Return a duration, None when it is `off`."""
        value = self.values[name]
        return None if value == OFF else int(value)

    def budget(self) -> Budget:
        """Return the rate limits: the stricter of `bandwidth` and the share of the available bandwidth."""
        rates = [float(self.values["limits.bandwidth"])] if self.values["limits.bandwidth"] != UNLIMITED else []
        if self.values["limits.share_percent"] != OFF and self.values["limits.available_bandwidth"] != OFF:
            rates.append(self.values["limits.available_bandwidth"] * self.values["limits.share_percent"] / 100)
        requests = self.values["limits.requests"]
        return Budget(min(rates, default=None), None if requests == UNLIMITED else float(requests))

    def document(self) -> PolicyDocument:
        """Return all settings as one typed document in which no field is absent."""
        return PolicyDocument.model_validate(nested(self.values), context=STORED_FORM)

    def written(self) -> dict[str, Any]:
        """Return all settings by dotted name in the form of API answers: short durations such as `6h`."""
        return self.document().written()


def effective_policy(
    *,
    table_properties: Mapping[str, Any],
    own: PolicyDocument | None = None,
    scoped: Sequence[StoredPolicy] = (),
    trial: PolicyDocument | None = None,
) -> EffectivePolicy:
    """Return the effective policy of a table.

    Args:
        table_properties: leaves by dotted name, as the table format translated the table's own properties.
        own: the table's own policy; None when it has none, or when it is in `scoped`.
        scoped: the policies that cover the table, in any order.
        trial: a policy to try on top of the others.
    """
    ordered = sorted(scoped, key=lambda policy: (policy.scope.strength, policy.name))
    layers = [Layer(policy.scope.origin(policy.name), policy.document.leaves()) for policy in ordered]
    layers += [
        Layer(origin, document.leaves())
        for origin, document in ((PolicyScopeKind.TABLE.value, own), (_TRIAL, trial))
        if document is not None
    ]
    named = (layer.values["preset"] for layer in reversed(layers) if "preset" in layer.values)
    preset = next(named, DEFAULT_PRESET)
    merged = merge(
        Layer("default", DEFAULTS), Layer("table property", table_properties), _preset_layer(preset), *layers
    )
    return _with_derived(_with_floors(merged, layers))


def _with_floors(merged: Merged, layers: Sequence[Layer]) -> Merged:
    """Give each setting of `FLOORS` the strictest value of all policies that set it, with its origin."""
    values, origins = dict(merged.values), dict(merged.origins)
    for name, strictest in FLOORS.items():
        given = [(layer.values[name], layer.origin) for layer in layers if name in layer.values]
        if given:
            values[name], origins[name] = strictest(given)
    return Merged(values, origins)


@lru_cache(maxsize=len(PRESETS))
def _preset_layer(name: str) -> Layer:
    return Layer(f"preset {name}", PRESETS[name].document.leaves())


def _with_derived(merged: Merged) -> EffectivePolicy:
    """Turn shares of the target into bytes, and set the stop trigger where no layer does."""
    values, origins = dict(merged.values), dict(merged.origins)
    target = int(values["rewrite.target_file_bytes"])
    for name, built_in in SHARES.items():
        origins.setdefault(name, "derived")
        written = values.get(name, built_in)
        if _is_share(written):
            values[name] = target * int(written[:-1]) // 100
    if STOP_TRIGGER not in values:
        values[STOP_TRIGGER] = int(values[SORTED_RUN_TRIGGER]) + STOP_ABOVE_TRIGGER
        origins[STOP_TRIGGER] = "derived"
    return EffectivePolicy(dict(sorted(values.items())), dict(sorted(origins.items())))


_TRIAL: Final = "trial"
