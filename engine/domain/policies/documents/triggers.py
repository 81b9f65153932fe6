"""The metrics that triggers compare, and a single comparison. `rules` combines comparisons into triggers.

The operand of a comparison must be of the metric's kind: a count, a share, a size or a duration.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_validator,
)

from engine.domain.policies.documents.fields import MAX_BYTES, PolicyPart
from engine.domain.values.hints import Misread
from engine.domain.values.units import (
    STORED_FORM,
    WRITTEN_DURATION,
    WRITTEN_SIZE,
    WrittenDuration,
    WrittenSizeText,
    format_duration,
    parse_bytes,
    parse_duration,
)

_MOST: Final = 10**12
"""The largest count."""
Operator = Literal["at_least", "above", "at_most", "below"]
OPERATORS: Final[tuple[Operator, ...]] = ("at_least", "above", "at_most", "below")


class MetricKind(StrEnum):
    """The unit of a metric."""

    COUNT = "count"
    RATIO = "ratio"
    SIZE = "size"
    DURATION = "duration"


class Metric(StrEnum):
    """Figures that conditions compare. Most are measured for each partition (or bucket), some for the whole table."""

    kind: MetricKind
    of_table: bool
    meaning: str

    def __new__(cls, value: str, kind: MetricKind, meaning: str, of_table: bool = False) -> Self:
        """Return a member with its kind, its meaning, and whether it is measured for the whole table."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.kind, member.meaning, member.of_table = kind, meaning, of_table
        return member

    FILE_COUNT = "file_count", MetricKind.COUNT, "live data files"
    SMALL_FILE_COUNT = "small_file_count", MetricKind.COUNT, "data files below `rewrite.small_file_bytes`"
    SMALL_FILE_SHARE = "small_file_share", MetricKind.RATIO, "small files as a share of all data files"
    AVERAGE_FILE_BYTES = "average_file_bytes", MetricKind.SIZE, "mean size of the data files"
    TOTAL_BYTES = "total_bytes", MetricKind.SIZE, "bytes of all data files"
    NEWEST_FILE_AGE = "newest_file_age", MetricKind.DURATION, "time since the last data file was added"
    OLDEST_SMALL_FILE_AGE = "oldest_small_file_age", MetricKind.DURATION, "time since the oldest small file was added"
    LARGE_FILE_COUNT = "large_file_count", MetricKind.COUNT, "data files above `rewrite.large_file_bytes`"
    SMALL_ROW_GROUP_FILE_COUNT = (
        "small_row_group_file_count",
        MetricKind.COUNT,
        "data files with many row groups below `rewrite.small_row_group_bytes`",
    )
    DELETE_FILE_COUNT = "delete_file_count", MetricKind.COUNT, "live delete files and deletion vectors"
    OLDEST_DELETE_FILE_AGE = (
        "oldest_delete_file_age",
        MetricKind.DURATION,
        "time since the oldest live delete file was added",
    )
    BLOCKING_AGE = (
        "blocking_age",
        MetricKind.DURATION,
        "longest time for which files of the newest snapshot can have kept rows that were deleted or replaced",
    )
    DELETE_RATIO = "delete_ratio", MetricKind.RATIO, "deleted rows as a share of all rows"
    SORTED_RUN_COUNT = "sorted_run_count", MetricKind.COUNT, "sorted runs of a key table's bucket"
    LEVEL0_FILE_COUNT = "level0_file_count", MetricKind.COUNT, "files of level 0 of a key table's bucket"
    COMMITS_SINCE_LEVEL0 = (
        "commits_since_level0",
        MetricKind.COUNT,
        "commits to the table since that of the oldest file of level 0 of a key table's bucket",
    )
    BYTES_SINCE_FULL = "bytes_since_full", MetricKind.SIZE, "bytes added since the last full rewrite"
    TIME_SINCE_FULL = "time_since_full", MetricKind.DURATION, "time since the last full rewrite"
    TIME_SINCE_REWRITE = "time_since_rewrite", MetricKind.DURATION, "time since the last rewrite"
    OVERLAP_DEPTH = "overlap_depth", MetricKind.COUNT, "files whose key ranges overlap at the deepest point"
    UNORDERED_SHARE = (
        "unordered_share",
        MetricKind.RATIO,
        "bytes of files that are not in the order of `rewrite.strategy` and `rewrite.columns`, as a share of all bytes",
    )
    OLD_SPEC_FILE_COUNT = (
        "old_spec_file_count",
        MetricKind.COUNT,
        "data files of the partition if it belongs to an older partition spec, otherwise 0",
    )
    LARGEST_SMALL_FILE_SHARE = (
        "largest_small_file_share",
        MetricKind.RATIO,
        "bytes of the largest small file as a share of the bytes of all small files",
    )
    AVOIDABLE_FILE_COUNT = (
        "avoidable_file_count",
        MetricKind.COUNT,
        "small files of the whole table, except one in each partition",
        True,
    )
    AVOIDABLE_FILE_SHARE = (
        "avoidable_file_share",
        MetricKind.RATIO,
        "avoidable files as a share of all data files of the table",
        True,
    )
    SNAPSHOT_COUNT = "snapshot_count", MetricKind.COUNT, "snapshots that the table keeps", True
    MANIFEST_COUNT = "manifest_count", MetricKind.COUNT, "manifests of the current snapshot", True
    AVERAGE_MANIFEST_BYTES = "average_manifest_bytes", MetricKind.SIZE, "mean size of these manifests", True
    METADATA_BYTES = "metadata_bytes", MetricKind.SIZE, "bytes of the table's current metadata file, uncompressed", True
    OLDEST_SNAPSHOT_AGE = "oldest_snapshot_age", MetricKind.DURATION, "time since the oldest kept snapshot", True
    UNREFERENCED_BYTES = (
        "unreferenced_bytes",
        MetricKind.SIZE,
        "bytes of orphans that the last search left; for `maintenance.remove_orphans.when` only",
        True,
    )


WANTED: Final = {
    MetricKind.COUNT: "a count: a whole number such as 60",
    MetricKind.RATIO: "a share between 0 and 1, such as 0.2",
    MetricKind.SIZE: "a size: bytes, or a string such as '32MB' or '32MiB'",
    MetricKind.DURATION: "a duration: a string such as '30m', '6h' or '2d'",
}
_Written = Annotated[int | float, Field(ge=0)] | WrittenSizeText | WrittenDuration


_OPERANDS: Final[Mapping[MetricKind, Mapping[str, Any]]] = {
    MetricKind.COUNT: {"type": "integer", "minimum": 0, "maximum": _MOST},
    MetricKind.RATIO: {"type": "number", "minimum": 0, "maximum": 1},
    MetricKind.SIZE: {
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": MAX_BYTES},
            {"type": "string", "pattern": WRITTEN_SIZE},
        ]
    },
    MetricKind.DURATION: {"type": "string", "pattern": WRITTEN_DURATION},
}
"""JSON Schema of the operand for each kind of metric."""


def _of_kind(kind: MetricKind) -> dict[str, Any]:
    """Return the schema of a condition on a metric of a kind."""
    wanted = {"anyOf": [_OPERANDS[kind], {"type": "null"}], "description": f"Wanted: {WANTED[kind]}."}
    metrics = {"enum": [metric.value for metric in Metric if metric.kind is kind]}
    return {"properties": {"metric": metrics} | dict.fromkeys(OPERATORS, wanted)}


_RULES: Final[list[Any]] = [
    {"anyOf": [_of_kind(kind) for kind in MetricKind]},
    {"oneOf": [{"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in OPERATORS]},
]
"""JSON Schema rules: an operand of the metric's kind, and exactly one operator."""


class TriggerCondition(PolicyPart):
    """One comparison: a metric and exactly one of `at_least`, `above`, `at_most`, `below`."""

    model_config = ConfigDict(json_schema_extra={"allOf": _RULES})

    metric: Annotated[Metric, Field(description="The measured figure.")]
    at_least: Annotated[
        int | float | None, Field(description="The figure is this or more.", examples=[60, 0.2, "32MB", "2d"])
    ] = None
    above: Annotated[int | float | None, Field(description="The figure is more than this.")] = None
    at_most: Annotated[int | float | None, Field(description="The figure is this or less.")] = None
    below: Annotated[int | float | None, Field(description="The figure is less than this.")] = None

    @field_validator(*OPERATORS, mode="before", json_schema_input_type=_Written | None)
    @classmethod
    def _fits_metric(cls, value: Any, info: ValidationInfo) -> Any:
        metric = info.data.get("metric")
        if value is None or metric is None:  # an unknown metric is reported itself
            return None
        return _value_of(metric, value, held=info.context == STORED_FORM)

    @model_validator(mode="after")
    def _one_operator(self) -> Self:
        given = [name for name in OPERATORS if getattr(self, name) is not None]
        if len(given) != 1:
            found = f"it has {' and '.join(given)}" if given else "it has none"
            raise Misread(f"a condition has exactly one of {', '.join(OPERATORS)}; {found}")
        return self

    @field_serializer(*OPERATORS, mode="wrap", when_used="json")
    def _written(self, value: float | None, handler: SerializerFunctionWrapHandler) -> int | float | str | None:
        if value is not None and self.metric.kind is MetricKind.DURATION:
            return format_duration(int(value))
        written: int | float | None = handler(value)
        return written

    @property
    def operator(self) -> Operator:
        """The comparison."""
        return next(name for name in OPERATORS if getattr(self, name) is not None)

    @property
    def wanted(self) -> float:
        """The operand of the comparison: bytes, seconds, a count or a share."""
        value: float = getattr(self, self.operator)
        return value

    def holds(self, measured: float) -> bool:
        """Return whether a measured figure satisfies the condition."""
        match self.operator:
            case "at_least":
                return measured >= self.wanted
            case "above":
                return measured > self.wanted
            case "at_most":
                return measured <= self.wanted
            case "below":
                return measured < self.wanted


def _value_of(metric: Metric, value: Any, *, held: bool) -> int | float:
    try:
        return _parsed(metric.kind, value, held=held)
    except Misread as error:
        raise Misread(f"{metric} is compared with {WANTED[metric.kind]}; {error}", error.hint) from error


def _parsed(kind: MetricKind, value: Any, *, held: bool) -> int | float:
    match kind:
        case MetricKind.SIZE:
            size = parse_bytes(value)
            if not 0 <= size <= MAX_BYTES:
                raise Misread("out of range")
            return size
        case MetricKind.DURATION:
            return value if held and type(value) is int else parse_duration(value)
        case MetricKind.COUNT:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
                raise Misread("not a count")
            if value != int(value):
                raise Misread("not a whole number")
            return int(value)
        case MetricKind.RATIO:
            return _ratio(value)


def _ratio(value: Any) -> float:
    if isinstance(value, str):
        digits = value.strip().removesuffix("%").strip()
        percent = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= len("100") else None
        raise Misread("not a share", _meant(percent))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misread("not a share")
    if not 0 <= value <= 1:
        raise Misread("out of range", _meant(value))
    return float(value)


def _meant(percent: float | None) -> str | None:
    return f"did you mean {percent / 100:g}?" if percent is not None and 0 <= percent <= _HUNDRED else None


_HUNDRED: Final = 100
