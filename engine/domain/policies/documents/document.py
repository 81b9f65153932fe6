"""The policy document as its owner writes it. It is partial: a field that is absent (or null) is inherited.

A *leaf* is the smallest part that is inherited or replaced as a whole: each field of a section, by its dotted name
(`rewrite.full.interval`). Lists, and parts other than sections (a seal, a back-off), are leaves.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, ModelWrapValidatorHandler, PrivateAttr, ValidationError, model_validator

from engine.domain.policies.documents.deletion import DeletionSettings
from engine.domain.policies.documents.fields import (
    OFF,
    UNLIMITED,
    AnyBytes,
    EndpointLabels,
    Interval,
    PolicyPart,
    Rate,
    Section,
    setting,
)
from engine.domain.policies.documents.maintenance import MaintenanceSettings
from engine.domain.policies.documents.rewriting import RewriteSettings
from engine.domain.policies.documents.rules import Triggers
from engine.domain.policies.documents.schedules import ScheduleSettings, Seal
from engine.domain.policies.documents.windows import Blackout, QuietHours
from engine.domain.values.hints import Misread
from engine.domain.values.strict import Flag, Number, Whole

PresetName = Literal[
    "balanced",
    "upsolver",
    "artemis",
    "paimon-universal",
    "paimon-low-latency",
    "paimon-write-heavy",
    "maxcompute-tiered",
]
DEFAULT_PRESET: Final[PresetName] = "balanced"
"""The base of a table for which no policy names another."""


class LimitSettings(Section):
    """Limits on what a table's rewrites move, enforced while they run."""

    bandwidth: Literal["unlimited"] | Rate | None = setting(
        UNLIMITED, description="Bytes per second, read + written.", examples=["50MB/s"]
    )
    requests: Literal["unlimited"] | Annotated[Whole, Field(ge=1, le=10**9)] | None = setting(
        UNLIMITED, description="Object-store requests per second.", examples=[200]
    )
    share_percent: Literal["off"] | Annotated[Number, Field(ge=0.01, le=100)] | None = setting(
        OFF,
        description="Bandwidth limit as a percentage of `available_bandwidth`; the lower of both limits applies.",
        examples=[30],
    )
    available_bandwidth: Literal["off"] | Rate | None = setting(
        OFF,
        description="Bytes per second that `share_percent` is a share of: declared, not measured.",
        examples=["400MB/s"],
    )
    parallel_groups: Annotated[Whole, Field(ge=1, le=64)] | None = setting(
        4, description="Groups of this table at once; the fleet's `parallel_groups` limits all tables.", examples=[4]
    )
    bytes_per_day: Literal["unlimited"] | Annotated[AnyBytes, Field(ge=2**20)] | None = setting(
        UNLIMITED, description="Bytes read by rewrites in any rolling 24 hours.", examples=["1TB"]
    )


class SparkSettings(Section):
    """The Spark endpoints on which a table's rewrites run, by their labels; each has its name as the label `name`."""

    require: EndpointLabels | None = setting(
        {},
        description="Labels that an endpoint must have. Those of all policies of a table apply; of one label, the "
        "value of the widest scope.",
        examples=[{"site": "eu"}],
    )
    prefer: EndpointLabels | None = setting(
        {},
        description="Labels by which one of several such endpoints is chosen: the one that has most of them.",
        examples=[{"tier": "spot"}],
    )


class Backoff(PolicyPart):
    """Slow down, then pause, while queries are slow."""

    signal: Literal["query_latency_p95"] = Field(
        description="The latency that is compared: query latency from signals, 95th percentile."
    )
    throttle_above: Interval = Field(
        description="Above this latency the budget is multiplied by `factor`.", examples=["2s"]
    )
    pause_above: Interval = Field(
        description="Above this latency running work is interrupted and nothing new starts.", examples=["5s"]
    )
    resume_below: Interval = Field(description="Below this latency rewrites return to full speed.", examples=["1s"])
    factor: Annotated[Number, Field(gt=0, lt=1)] = Field(0.5, description="Factor by which the budget is multiplied.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.resume_below < self.throttle_above < self.pause_above:
            raise Misread("must be in order: resume_below < throttle_above < pause_above")
        return self


class PolicyDocument(Section):  # noqa: PLW1641 - pydantic makes the hash of a frozen model
    """A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"preset": "balanced", "rewrite": {"target_file_bytes": "256MiB"}, "limits": {"bandwidth": "50MB/s"}}
            ]
        }
    )

    enabled: Flag | None = setting(True, description="`false`: the table is measured but never rewritten.")
    preset: PresetName | None = setting(DEFAULT_PRESET, description="A named base; settings of any policy override it.")
    rewrite: RewriteSettings | None = Field(
        None, description="Selection of files to rewrite, and layout of their replacements."
    )
    triggers: Triggers | None = Field(
        None,
        description="Named rules; a partition is due when any of them holds.",
        examples=[[{"name": "many small files", "all": [{"metric": "small_file_count", "at_least": 20}]}]],
    )
    seal: Literal["off"] | Seal | None = setting(
        OFF, description="Rewrite sealed partitions only.", examples=[{"after": "1h"}]
    )
    schedule: ScheduleSettings | None = Field(None, description="Times at which the table is looked at.")
    limits: LimitSettings | None = Field(None, description="Limits on what its rewrites move.")
    quiet_hours: Annotated[tuple[QuietHours, ...], Field(max_length=50)] | None = setting(
        (),
        description="Windows of each week in which nothing new is rewritten.",
        examples=[[{"days": ["mon", "fri"], "from": "09:00", "to": "17:00", "time_zone": "Europe/Berlin"}]],
    )
    blackouts: Annotated[tuple[Blackout, ...], Field(max_length=100)] | None = setting(
        (),
        description="Ranges of dates in which nothing new is rewritten.",
        examples=[[{"from": "2026-12-24", "to": "2026-12-27", "time_zone": "Europe/Berlin", "reason": "holidays"}]],
    )
    backoff: Literal["off"] | Backoff | None = setting(OFF, description="Slow down while queries are slow.")
    priority: Literal["low", "normal", "high"] | None = setting(
        "normal", description="Priority of the table's runs over those of other tables."
    )
    verification: Literal["metadata", "sample", "content"] | None = setting(
        "metadata",
        description="Proof of a rewrite: by `metadata` alone, or by row hashes of some (`sample`) or all "
        "(`content`) groups too.",
    )
    spark: SparkSettings | None = Field(None, description="Spark endpoints on which its rewrites run.")
    maintenance: MaintenanceSettings | None = Field(None, description="Upkeep other than rewriting data files.")
    deletion: DeletionSettings | None = Field(None, description="Announcement of deletions before they are done.")

    _given: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_given(cls, given: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        document = validate(given)
        if isinstance(given, Mapping):
            document._given = given  # noqa: SLF001 - a private attribute of this class
        return document

    def __eq__(self, other: object) -> bool:
        """Return whether both set the same values, in whatever units they are written."""
        return isinstance(other, PolicyDocument) and self.__dict__ == other.__dict__

    @classmethod
    def of_stored(cls, document: Mapping[str, Any]) -> Self:
        """Return a stored document, without settings that only newer versions define.

        Raises:
            ValidationError: a setting of this version has a value that this version does not support.
        """
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            unknown = [each["loc"] for each in error.errors() if each["type"] == "extra_forbidden"]
            if not unknown:
                raise
        known = deepcopy(dict(document))
        for location in unknown:
            _remove(known, location)
        return cls.model_validate(known)

    def leaves(self) -> dict[str, Any]:
        """Return the leaves that are set, by dotted name, in internal units: bytes, seconds, words."""
        return dict(_leaves(self, self.model_dump(exclude_none=True)))

    def as_given(self) -> dict[str, Any]:
        """Return the fields that are set, JSON-ready, sizes and times in the units in which they were given."""
        found: dict[str, Any] = _with_texts(self.model_dump(mode="json", exclude_none=True), self._given)
        return found

    def written(self) -> dict[str, Any]:
        """Return the leaves that are set, by dotted name, in the form of API answers: short durations such as `6h`."""
        return dict(_leaves(self, self.model_dump(mode="json", exclude_none=True)))


def _with_texts(value: Any, given: Any) -> Any:
    """Return a value with the texts from which its parts were read, where these are in the same place."""
    match value:
        case dict():
            parts = given if isinstance(given, Mapping) else {}
            return {name: _with_texts(inner, parts.get(name)) for name, inner in value.items()}
        case list():
            items = given if isinstance(given, list) and len(given) == len(value) else [None] * len(value)
            return [_with_texts(*pair) for pair in zip(value, items, strict=True)]
        case _:
            return given if isinstance(given, str) else value


def _remove(node: Any, location: tuple[int | str, ...]) -> None:
    """Remove the value at an error's location; steps that name a member of a union are skipped."""
    *steps, last = location
    for step in steps:
        is_there = step in node if isinstance(node, dict) else isinstance(node, list) and isinstance(step, int)
        node = node[step] if is_there else node
    if isinstance(node, dict):
        node.pop(last, None)


def nested(leaves: Mapping[str, Any]) -> dict[str, Any]:
    """Return a nested document for leaves by dotted name."""
    document: dict[str, Any] = {}
    for name, value in leaves.items():
        *sections, last = name.split(".")
        node = document
        for section in sections:
            node = node.setdefault(section, {})
        node[last] = value
    return document


def _leaves(part: Section, dumped: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in dumped.items():
        inner = getattr(part, name)
        if isinstance(inner, Section):
            yield from _leaves(inner, value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
