"""Settings for maintenance other than rewriting data files. Nothing that removes files is on by default."""

from collections.abc import Callable
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field
from pydantic.config import JsonDict

from engine.domain.policies.documents.fields import DAY_SECONDS, OFF, Interval, PolicyPart, Section, lasting, setting
from engine.domain.policies.documents.triggers import Metric, TriggerCondition
from engine.domain.values.hints import Misread
from engine.domain.values.strict import ONE_LINE, Flag, OneLine, Whole
from engine.domain.values.units import Duration
from engine.domain.values.uris import problem_of_clear


def _by_default(text: str) -> Callable[[JsonDict], None]:
    """Return a schema change that states the default in written form; stored policies contain seconds."""

    def change(schema: JsonDict) -> None:
        union = schema.get("anyOf")
        members = union if isinstance(union, list) else [schema]
        if any(isinstance(each, dict) and "pattern" in each for each in members):
            schema["default"] = text

    return change


MOST_CONDITIONS: Final = 8
WHEN_METRICS: Final = (
    Metric.SNAPSHOT_COUNT,
    Metric.MANIFEST_COUNT,
    Metric.AVERAGE_MANIFEST_BYTES,
    Metric.METADATA_BYTES,
    Metric.DELETE_FILE_COUNT,
    Metric.OLDEST_SNAPSHOT_AGE,
)
"""Metrics that conditions of upkeep compare, each measured for the whole table."""

ORPHAN_METRICS: Final = (*WHEN_METRICS, Metric.UNREFERENCED_BYTES)
"""Metrics that conditions of searches for orphans compare."""


def _one_of(metrics: tuple[Metric, ...]) -> AfterValidator:
    def check(condition: TriggerCondition) -> TriggerCondition:
        if condition.metric not in metrics:
            starts = "starts only remove_orphans" if condition.metric in ORPHAN_METRICS else "does not start upkeep"
            raise Misread(f"{condition.metric} {starts}: use one of {', '.join(metrics)}")
        return condition

    return AfterValidator(check)


class Upkeep(PolicyPart):
    """A part that switches an operation on; it may also start when conditions on the table hold."""

    when: tuple[Annotated[TriggerCondition, _one_of(WHEN_METRICS)], ...] | None = Field(
        None,
        min_length=1,
        max_length=MOST_CONDITIONS,
        description="Start a run also when all of these conditions on the whole table hold, at most hourly and only "
        "if there is something to do. Null: only at the interval.",
        examples=[[{"metric": "snapshot_count", "above": 500}]],
    )


class RewriteManifests(Upkeep):
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


class RewriteDeletes(Upkeep):
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


class ExpireSnapshots(Upkeep):
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
    delete_files: Flag = Field(
        False,
        description="Also delete the files that only expired snapshots needed, once the snapshots are gone.",
    )


class DeleteOldCompactions(Upkeep):
    """Removal of copies of the data that a rewrite by Packhouse replaced: snapshots, and the files that only they need.

    Only snapshots whose rows a later snapshot has as well are removed. Branches, tags and the table's own retention
    always hold as well.
    """

    grace: Interval = Field(
        DAY_SECONDS,
        description="Time after a rewrite for which the copy that it replaced is kept.",
        examples=["1d"],
        json_schema_extra=_by_default("1d"),
    )
    interval: Interval = Field(
        DAY_SECONDS,
        description="Least time between two automatic runs.",
        examples=["1d"],
        json_schema_extra=_by_default("1d"),
    )


_ADDRESS: Final = r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?/"
_ADDRESS_LINE: Final = _ADDRESS + ONE_LINE.removeprefix("^")
"""Both patterns of such a text, as a schema has one."""


def _plain_address(location: str) -> str:
    if {".", ".."} & set(location.split("/")):
        raise Misread("a location has no '.' or '..' as a part of its path")
    if problem := problem_of_clear(location):
        raise Misread(f"{problem}: a store is reached with the properties of the catalog")
    return location


class RemoveOrphans(Upkeep):
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
    when: tuple[Annotated[TriggerCondition, _one_of(ORPHAN_METRICS)], ...] | None = Field(
        None,
        min_length=1,
        max_length=MOST_CONDITIONS,
        description="Start a search also when all of these conditions on the whole table hold, at most hourly; with "
        "`unreferenced_bytes` not before files leave the quarantine. Null: only at the interval.",
        examples=[[{"metric": "unreferenced_bytes", "above": "100GB"}]],
    )
    inventory: (
        Annotated[
            OneLine,
            Field(min_length=1, max_length=1000, pattern=_ADDRESS, json_schema_extra={"pattern": _ADDRESS_LINE}),
            AfterValidator(_plain_address),
        ]
        | None
    ) = Field(
        None,
        description="Location of an inventory of the store, in Parquet or CSV, which is read instead of listing the "
        "table's files. Null: the files are listed.",
        examples=["s3://inventories/lake/daily"],
    )


class Reclaim(Upkeep):
    """Retention of history: older snapshots are removed, with the files that only they need.

    Branches, tags and the table's own retention always hold as well.
    """

    retention: Interval = Field(description="History older than this can't be queried any more.", examples=["7d"])
    interval: Interval = Field(
        DAY_SECONDS,
        description="Least time between two automatic runs.",
        examples=["1d"],
        json_schema_extra=_by_default("1d"),
    )
    compact_blocking: Flag = Field(
        True,
        description="Also start rewrites of partitions with delete files older than the retention: the deleted rows "
        "stay stored until then.",
    )


RECLAIM: Final = "maintenance.reclaim"
"""The dotted name of the setting that is also the name of a rule for rewrites."""


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
    delete_old_compactions: Literal["off"] | DeleteOldCompactions | None = setting(
        OFF,
        description="Delete the copies of the data that rewrites replaced.",
        examples=[{"grace": "1d", "interval": "1d"}],
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
