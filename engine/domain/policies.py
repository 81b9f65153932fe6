"""Policy documents (partial: an absent field is inherited) and the effective policy with the origin of every field.

This slice knows the built-in defaults, the table's own properties and the table's own policy; wider scopes merge in the
same way, by leaf field.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.domain.budgets import Budget
from engine.domain.units import ByteSize

MIB: Final = 2**20
OFF: Final = "off"
UNLIMITED: Final = "unlimited"

_FileBytes = Annotated[ByteSize, Field(ge=MIB, le=16 * 2**30)]
_Rate = Annotated[ByteSize, Field(ge=64 * 1024, le=2**40)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DeleteRules(_Part):
    """When deletes make a data file a candidate whatever its size."""

    files: Annotated[int, Field(ge=1, description="At least so many delete files apply to it.")] | None = None
    ratio: Annotated[float, Field(gt=0, le=1, description="At least this share of its rows is deleted.")] | None = None


class RewriteSettings(_Part):
    """What is rewritten, and into what."""

    strategy: Literal["binpack"] | None = None
    target_file_bytes: Annotated[_FileBytes | None, Field(description="Wanted output size.")] = None
    small_file_bytes: Annotated[
        Annotated[ByteSize, Field(ge=1)] | None, Field(description="Below it a file is a candidate.")
    ] = None
    large_file_bytes: Annotated[
        Literal["off"] | Annotated[ByteSize, Field(ge=1)] | None,
        Field(description="Above it a file is split; `off` leaves it alone."),
    ] = None
    exclude_above_bytes: Annotated[
        Literal["off"] | Annotated[ByteSize, Field(ge=1)] | None, Field(description="Files above are never touched.")
    ] = None
    min_input_files: Annotated[int, Field(ge=2, le=10_000)] | None = None
    max_group_bytes: Annotated[
        _FileBytes | None, Field(description="Bytes of inputs of one group: the unit of cancel, retry and pacing.")
    ] = None
    deletes: DeleteRules | None = None
    compression: Annotated[
        str | None,
        Field(
            pattern=r"^(zstd(:([1-9]|1[0-9]|2[0-2]))?|gzip(:[1-9])?|snappy|lz4|uncompressed)$",
            description="Codec, with a level after a colon where it has levels; absent: the table's property.",
        ),
    ] = None


class LimitSettings(_Part):
    """How much a table's rewrites may move, held while they run."""

    bandwidth: Annotated[
        Literal["unlimited"] | _Rate | None, Field(description="Bytes per second, read + written.")
    ] = None
    requests: Annotated[
        Literal["unlimited"] | Annotated[int, Field(ge=1)] | None, Field(description="Storage requests per second.")
    ] = None
    share_percent: Annotated[float, Field(gt=0, le=100)] | Literal["off"] | None = None
    available_bandwidth: Annotated[
        Literal["off"] | _Rate | None, Field(description="Bytes per second that `share_percent` is a share of.")
    ] = None
    parallel_groups: Annotated[int, Field(ge=1, le=64)] | None = None
    bytes_per_day: Annotated[
        Literal["unlimited"] | Annotated[ByteSize, Field(ge=MIB)] | None,
        Field(description="Bytes read by rewrites in any rolling 24 hours."),
    ] = None


class PolicyDocument(_Part):
    """A table's policy as its owner writes it. Sizes are bytes or strings such as `128MiB`; rates are per second."""

    enabled: bool | None = None
    rewrite: RewriteSettings | None = None
    limits: LimitSettings | None = None

    @model_validator(mode="after")
    def _share_needs_both(self) -> "PolicyDocument":
        limits = self.limits
        if limits is not None and (limits.share_percent in (None, OFF)) != (limits.available_bandwidth in (None, OFF)):
            message = "limits.share_percent and limits.available_bandwidth go together: set both or neither"
            raise ValueError(message)
        return self

    def leaves(self) -> dict[str, Any]:
        """Return the fields that are set, by dotted name."""
        return dict(_flatten(self.model_dump(exclude_none=True), ""))


def _flatten(node: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in node.items():
        found += _flatten(value, f"{prefix}{key}.") if isinstance(value, Mapping) else [(f"{prefix}{key}", value)]
    return found


@dataclass(frozen=True, slots=True)
class StoredPolicy:
    """A table's policy as stored; `version` grows with each write and is the ETag."""

    document: PolicyDocument
    version: int
    updated_at: Any
    updated_by: str


DEFAULTS: Final[Mapping[str, Any]] = {
    "enabled": True,
    "rewrite.strategy": "binpack",
    "rewrite.target_file_bytes": 128 * MIB,
    "rewrite.exclude_above_bytes": OFF,
    "rewrite.min_input_files": 5,
    "rewrite.max_group_bytes": 1024 * MIB,
    "rewrite.deletes.files": 1,
    "rewrite.deletes.ratio": 0.1,
    "rewrite.compression": "zstd:3",
    "limits.bandwidth": UNLIMITED,
    "limits.requests": UNLIMITED,
    "limits.share_percent": OFF,
    "limits.available_bandwidth": OFF,
    "limits.parallel_groups": 4,
    "limits.bytes_per_day": UNLIMITED,
}
"""Built-in defaults; small (75 %) and large (180 % of the target) are derived."""


@dataclass(frozen=True, slots=True)
class EffectivePolicy:
    """Every setting of a table with where it came from: `default`, `table property`, `derived`, `table`."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]

    @property
    def enabled(self) -> bool:
        """False: observed, never rewritten."""
        return bool(self.values["enabled"])

    @property
    def parallel_groups(self) -> int:
        """Groups of this table at once."""
        return int(self.values["limits.parallel_groups"])

    def bytes_of(self, name: str) -> int | None:
        """Return a size, None when it is `off` or `unlimited`."""
        value = self.values[name]
        return None if value in (OFF, UNLIMITED) else int(value)

    def budget(self) -> Budget:
        """Return the rates to hold: the stricter of `bandwidth` and the share of the available bandwidth."""
        rates = [float(self.values["limits.bandwidth"])] if self.values["limits.bandwidth"] != UNLIMITED else []
        if self.values["limits.share_percent"] != OFF and self.values["limits.available_bandwidth"] != OFF:
            rates.append(self.values["limits.available_bandwidth"] * self.values["limits.share_percent"] / 100)
        requests = self.values["limits.requests"]
        return Budget(min(rates, default=None), None if requests == UNLIMITED else float(requests))


def effective_policy(*, table_properties: Mapping[str, Any], own: PolicyDocument | None) -> EffectivePolicy:
    """Merge by leaf: defaults, then what the table's own properties say, then the table's policy.

    `table_properties` holds policy fields by dotted name, as the table format translated them.
    """
    values = dict(DEFAULTS)
    origins = dict.fromkeys(values, "default")
    for origin, layer in (("table property", table_properties), ("table", own.leaves() if own else {})):
        values |= layer
        origins |= dict.fromkeys(layer, origin)
    target = int(values["rewrite.target_file_bytes"])
    for name, percent in (("rewrite.small_file_bytes", 75), ("rewrite.large_file_bytes", 180)):
        if name not in values:
            values[name] = target * percent // 100
            origins[name] = "derived"
    return EffectivePolicy(dict(sorted(values.items())), dict(sorted(origins.items())))
