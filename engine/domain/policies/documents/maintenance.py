"""Settings for maintenance other than rewriting data files. Nothing that removes files is on by default."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field
from pydantic.config import JsonDict

from engine.domain.policies.documents.fields import DAY_SECONDS, OFF, Interval, Part, Section, lasting, setting
from engine.domain.values.strict import Flag, Whole
from engine.domain.values.units import Duration


def _by_default(text: str) -> Callable[[JsonDict], None]:
    """Return a schema change that states the default in written form; stored policies contain seconds."""

    def change(schema: JsonDict) -> None:
        union = schema.get("anyOf")
        members = union if isinstance(union, list) else [schema]
        if any(isinstance(each, dict) and "pattern" in each for each in members):
            schema["default"] = text

    return change


class RewriteManifests(Part):
    """Merging of manifests: at each `interval`, and within an hour when there are many small ones.

    Automatic runs start only where at least ten manifests fewer would result.
    """

    interval: Literal["off"] | Interval = Field(
        7 * DAY_SECONDS,
        description="Time between rewrites of manifests.",
        examples=["7d"],
        json_schema_extra=_by_default("7d"),
    )
    above_count: Annotated[Whole, Field(ge=1, le=10**9)] = Field(
        100, description="Also merge when there are more manifests than this, and they are small."
    )
    average_below_percent: Annotated[Whole, Field(ge=1, le=100)] = Field(
        25, description="Manifests are small if they average below this percentage of the table's target for manifests."
    )


class RewriteDeletes(Part):
    """Merging of position-delete files, and removal of those that apply to no live data file."""

    interval: Interval = Field(
        DAY_SECONDS,
        description="Least time between two automatic rewrites of delete files.",
        examples=["1d"],
        json_schema_extra=_by_default("1d"),
    )
    at_least_files: Annotated[Whole, Field(ge=1, le=10**9)] = Field(
        10, description="Automatic runs start only if they would replace or drop at least this many delete files."
    )


class ExpireSnapshots(Part):
    """Selection of the snapshots that are expired, and the interval.

    Branches, tags and the table's own retention always hold as well.
    """

    older_than: Interval = Field(description="Only snapshots older than this.", examples=["5d"])
    keep_last: Annotated[Whole, Field(ge=1, le=10**6)] = Field(
        10, description="Number of newest snapshots of each branch that are kept regardless of their age."
    )
    interval: Interval = Field(
        DAY_SECONDS,
        description="Least time between two automatic expiries.",
        examples=["1d"],
        json_schema_extra=_by_default("1d"),
    )


class RemoveOrphans(Part):
    """Removal of files that no snapshot refers to; never of files younger than twice the longest run."""

    older_than: Annotated[Duration, lasting(least=DAY_SECONDS)] = Field(
        3 * DAY_SECONDS,
        description="Only files older than this, at least a day.",
        examples=["3d"],
        json_schema_extra=_by_default("3d"),
    )
    interval: Interval = Field(
        7 * DAY_SECONDS, description="Time between searches.", examples=["7d"], json_schema_extra=_by_default("7d")
    )
    quarantine: Duration = Field(
        7 * DAY_SECONDS,
        description="Time that files stay in quarantine before they are deleted.",
        examples=["7d"],
        json_schema_extra=_by_default("7d"),
    )


class Reclaim(Part):
    """Retention of history and superseded files; older ones are removed."""

    retention: Interval = Field(description="History older than this can't be queried any more.", examples=["7d"])
    compact_blocking: Flag = Field(
        True, description="First rewrite the files that keep older files from being removed."
    )


class MaintenanceSettings(Section):
    """Upkeep other than rewriting data files; each part is `off` or given as a whole."""

    rewrite_deletes: Literal["off"] | RewriteDeletes | None = setting(
        OFF,
        description="Merge position-delete files, and drop those that apply to nothing.",
        examples=[{"interval": "1d", "at_least_files": 10}],
    )
    rewrite_manifests: Literal["off"] | RewriteManifests | None = setting(
        {"interval": 7 * DAY_SECONDS, "above_count": 100, "average_below_percent": 25},
        description="Merge manifests.",
        examples=[{"interval": "7d"}],
    )
    expire_snapshots: Literal["off"] | ExpireSnapshots | None = setting(
        OFF, description="Expire old snapshots.", examples=[{"older_than": "5d", "keep_last": 10, "interval": "1d"}]
    )
    remove_orphans: Literal["off"] | RemoveOrphans | None = setting(
        OFF,
        description="Remove files that no snapshot refers to.",
        examples=[{"older_than": "3d", "interval": "7d", "quarantine": "7d"}],
    )
    reclaim: Literal["off"] | Reclaim | None = setting(
        OFF,
        description="Expire history after a time, and rewrite the files that block that.",
        examples=[{"retention": "7d"}],
    )
