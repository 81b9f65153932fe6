"""The frozen base model of all parts of a policy, and the types of its fields."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from engine.domain.values.hints import Misread
from engine.domain.values.strict import OneLine
from engine.domain.values.units import (
    MAX_SECONDS,
    ByteRate,
    ByteSize,
    Duration,
    WrittenSizeText,
    format_duration,
    parse_bytes,
)

KIB: Final = 2**10
MIB: Final = 2**20
OFF: Final = "off"
UNLIMITED: Final = "unlimited"
MAX_BYTES: Final = 2**53 - 1
"""The largest integer that every JSON reader represents exactly: 8 PiB."""
DAY_SECONDS: Final = 86_400
PERCENT_PATTERN: Final = r"^[0-9]{1,4}%$"

_MOST_PERCENT: Final = 1000


class PolicyPart(BaseModel):
    """A part of a policy: unknown fields are an error, values never change."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, json_schema_mode_override="validation"
    )


class Section(PolicyPart):
    """A part that is merged field by field; every field may be absent. Other parts are replaced as a whole."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The value of a setting that no layer of a policy gives, in internal units; `75%` is a share of the target."""

    value: Any


def setting(built_in: Any, **described: Any) -> Any:
    """Declare a setting of a section: absent in a document unless it is given, `built_in` where no layer gives it."""
    declared = Field(None, **described)
    declared.metadata.append(BuiltIn(built_in))
    return declared


def built_in_values(section: type[Section], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted name and the built-in value of every setting that has one."""
    for name, declared in section.model_fields.items():
        inner = next((each for each in get_args(declared.annotation) if _is_section(each)), None)
        if inner is not None:
            yield from built_in_values(inner, f"{prefix}{name}.")
        yield from ((f"{prefix}{name}", each.value) for each in declared.metadata if isinstance(each, BuiltIn))


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)


def lasting(*, least: int) -> AfterValidator:
    """Return a validator of durations, in seconds, from `least` to `MAX_SECONDS`."""

    def check(seconds: int) -> int:
        if not least <= seconds <= MAX_SECONDS:
            raise Misread(f"must be between {format_duration(least)} and {format_duration(MAX_SECONDS)}")
        return seconds

    return AfterValidator(check)


def _size_or_percent(value: Any) -> int | str:
    if not isinstance(value, str) or not value.strip().endswith("%"):
        return parse_bytes(value)
    digits = value.strip()[:-1].strip()
    if not (digits.isascii() and digits.isdigit()) or not 1 <= int(digits[:5]) <= _MOST_PERCENT:
        raise Misread(f"{value[:20]!r} is not a share of the target: write a whole number from 1% to {_MOST_PERCENT}%")
    return f"{int(digits)}%"


def _within_bytes(value: int | str) -> int | str:
    if isinstance(value, int) and not 1 <= value <= MAX_BYTES:
        raise Misread(f"must be between 1 and {MAX_BYTES} bytes")
    return value


FileBytes = Annotated[ByteSize, Field(ge=MIB, le=16 * 2**30)]
OrderBytes = Annotated[ByteSize, Field(ge=MIB, le=2**40)]
RowGroupBytes = Annotated[ByteSize, Field(ge=64 * KIB, le=8 * MIB)]
AnyBytes = Annotated[ByteSize, Field(ge=1, le=MAX_BYTES)]
Rate = Annotated[ByteRate, Field(ge=64 * KIB, le=2**40)]
WrittenPercent = Annotated[str, Field(pattern=PERCENT_PATTERN, examples=["75%"])]
TargetShare = Annotated[
    int | str,
    BeforeValidator(
        _size_or_percent,
        json_schema_input_type=Annotated[int, Field(ge=1, le=MAX_BYTES)] | WrittenSizeText | WrittenPercent,
    ),
    AfterValidator(_within_bytes),
]
"""A size, or a share of the target such as `75%`; held as bytes or as the written share."""

LabelText = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")]
EndpointLabels = Annotated[dict[LabelText, LabelText], Field(max_length=20)]
"""Labels of Spark endpoints: at most twenty."""

Interval = Annotated[Duration, lasting(least=1)]
Text = Annotated[OneLine, Field(min_length=1, max_length=200)]
