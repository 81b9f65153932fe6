"""Rules of the edge on their own: depth of JSON, Accept headers, preconditions."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.errors import EdgeProblem
from api.limits import MAX_DEPTH, check_depth
from api.preconditions import preconditions
from api.streaming import wants_stream
from engine.domain.errors import InvalidInput, PreconditionFailed, PreconditionRequired

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(value=JSON, ascii_only=st.booleans())
def test_flat_json_passes_whatever_its_strings_hold(value: object, ascii_only: bool) -> None:
    assert depth_of(value) <= MAX_DEPTH
    check_depth(json.dumps(value, ensure_ascii=ascii_only).encode())


@given(value=JSON, extra=st.integers(0, 40))
def test_depth_is_counted_exactly(value: object, extra: int) -> None:
    for _ in range(extra):
        value = [value]
    body = json.dumps(value).encode()
    if depth_of(value) > MAX_DEPTH:
        with pytest.raises(EdgeProblem):
            check_depth(body)
    else:
        check_depth(body)


@pytest.mark.parametrize("text", ['{"a": "[[[[', '"' + "\\" * 1001, "]" * 100, '"\\"[[["'])
def test_broken_json_is_left_to_the_parser(text: str) -> None:
    check_depth(text.encode())


@pytest.mark.parametrize(
    ("accept", "stream"),
    [
        (None, False),
        ("", False),
        ("*/*", False),
        ("text/event-stream", True),
        ("TEXT/EVENT-STREAM", True),
        ("text/*", True),
        ("text/event-stream, application/json", False),
        ("text/event-stream, application/json;q=0.9", True),
        ("text/event-stream;q=0.5, */*;q=0.1", True),
        ("text/event-stream;q=nonsense, */*", False),
    ],
)
def test_json_is_answered_unless_the_stream_is_preferred(accept: str | None, stream: bool) -> None:
    assert wants_stream(accept) is stream


async def test_a_version_is_read_from_its_tag() -> None:
    assert (await preconditions(if_match='"12"')).version() == 12


async def test_a_write_without_a_tag_is_told_what_to_send() -> None:
    with pytest.raises(PreconditionRequired, match="If-Match"):
        (await preconditions()).version()


@pytest.mark.parametrize("tag", ["12", "*", '"1", "2"', ""])
async def test_a_tag_that_is_not_one_is_malformed(tag: str) -> None:
    with pytest.raises(InvalidInput):
        await preconditions(if_match=tag)


@pytest.mark.parametrize("tag", ['W/"12"', '"x"', '"-1"', '"\u0661"', '"1234567890"'])
async def test_a_tag_of_something_else_matches_nothing(tag: str) -> None:
    with pytest.raises(PreconditionFailed):
        await preconditions(if_match=tag)


async def test_only_a_star_says_that_there_is_none() -> None:
    assert (await preconditions(if_none_match="*")).if_none_match
    with pytest.raises(InvalidInput):
        await preconditions(if_none_match='"1"')
