"""Each kind of refused value gets a message of ours, never a phrase of the library."""

import datetime as dt
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticKnownError
from pydantic_core._pydantic_core import list_all_errors

from engine.domain.values.units import ByteSize
from engine.domain.values.validation_messages import _MESSAGES, message_of


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel, extra="forbid"):
    x: int


def messages(of: Any, value: Any) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(of).validate_python(value)
    return [message_of(error) for error in caught.value.errors()]


@pytest.mark.parametrize(
    ("of", "value", "message"),
    [
        (int, "many", "must be a whole number"),
        (int, 1.5, "must be a whole number, without a fraction"),
        (int, "9" * 5000, "must be a whole number of at most 4300 digits"),
        (Annotated[int, Field(ge=1)], 0, "must be at least 1"),
        (Annotated[float, Field(lt=300)], 300, "must be below 300.0"),
        (float, "fast", "must be a number"),
        (bool, "perhaps", "must be true or false"),
        (str, 3, "must be a string"),
        (Annotated[str, Field(min_length=3)], "a", "must have at least 3 characters"),
        (Annotated[str, Field(pattern="^a+$")], "b", "must match the pattern ^a+$"),
        (list[int], "x", "must be a list"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "must have at most 1 entry"),
        (Annotated[list[int], Field(min_length=2)], [1], "must have at least 2 entries"),
        (Point, [], "must be an object"),
        (Point, {}, "this field is required"),
        (Point, {"x": 1, "y": 2}, "unknown field"),
        (Colour, "green", "must be 'red' or 'blue'"),
        (Literal["a", "b"], "c", "must be 'a' or 'b'"),
        (dt.datetime, "soon", "must be a time such as 2026-11-01T12:00:00Z"),
        (AwareDatetime, "2026-11-01T12:00:00", "must have a time zone, such as the Z of 2026-11-01T12:00:00Z"),
        (dt.date, "soon", "must be a date such as 2026-11-01"),
    ],
)
def test_a_refused_value_gets_our_message(of: Any, value: Any, message: str) -> None:
    assert messages(of, value) == [message]


def test_messages_of_our_own_validators_are_kept() -> None:
    assert messages(ByteSize, "12 parsecs")[0].startswith("'12 parsecs' is not a size")


def test_each_template_takes_what_the_library_gives_it() -> None:
    known = {each["type"]: each for each in list_all_errors()}
    for kind in _MESSAGES:
        context = known[kind].get("example_context")
        error = PydanticKnownError(kind, context)  # type: ignore[arg-type]
        assert "{" not in message_of({"type": kind, "ctx": error.context or {}, "msg": error.message()})
