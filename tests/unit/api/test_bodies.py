"""Request bodies: strict UTF-8 JSON of a bounded depth, read only when the application asks for one."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from api.http.bodies import MAX_DEPTH, BodyLimits, parse_json
from api.http.errors import EdgeProblem

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
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) == value


@given(value=JSON, extra=st.integers(0, 40))
def test_depth_is_counted_exactly(value: object, extra: int) -> None:
    for _ in range(extra):
        value = [value]
    body = json.dumps(value).encode()
    if depth_of(value) > MAX_DEPTH:
        with pytest.raises(EdgeProblem, match="32 levels"):
            parse_json(body)
    else:
        parse_json(body)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 900, 200_000])
def test_any_excess_of_depth_is_named(opening: str, levels: int) -> None:
    closing = "]" if opening == "[" else "}"
    with pytest.raises(EdgeProblem, match="32 levels"):
        parse_json((opening * levels + "1" + closing * levels).encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig"])
def test_depth_can_not_hide_in_another_encoding(encoding: str) -> None:
    nested = "[" * 500 + "]" * 500
    with pytest.raises(EdgeProblem, match="send JSON as UTF-8 without a byte order mark"):
        parse_json(f'["\u0122", {nested}, "\u0122"]'.encode(encoding))


@pytest.mark.parametrize(
    "text", ['{"team": "a", "team": "b"}', '[{"x": {"\\u0074eam": 1, "team": 1}}]', '{"team": 1, "a": 2, "team": 1}']
)
def test_a_key_that_is_given_twice_is_refused(text: str) -> None:
    with pytest.raises(EdgeProblem, match="'team' is given twice") as refused:
        parse_json(text.encode())
    assert refused.value.status_code == 400


def test_equal_keys_of_different_objects_are_not_duplicates() -> None:
    assert parse_json(b'[{"a": 1}, {"a": {"a": 1}}]') == [{"a": 1}, {"a": {"a": 1}}]


@pytest.mark.parametrize(
    "body", [b"{", b"{'a': 1}", b'"\xff"', b'{"a": 1}x', b"9" * 5000, b'"' + b"\\" * 1001, b"]" * 100, b'"\\"[[[']
)
def test_what_is_not_json_is_unreadable(body: bytes) -> None:
    with pytest.raises(EdgeProblem) as refused:
        parse_json(body)
    assert refused.value.code == "unreadable"


async def test_a_body_that_nothing_asks_for_is_not_read() -> None:
    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        """Answer without the body, as a route without one does."""

    async def receive() -> Message:
        raise AssertionError("the body was read")

    await BodyLimits(app)(_post("/v1/runs"), receive, _ignore)


async def test_a_body_of_the_most_bytes_is_read_and_a_longer_one_is_refused() -> None:
    limit = 2**20
    assert len(await _body_of("/v1/runs", b'"%s"' % (b"x" * (limit - 2)))) == limit
    with pytest.raises(EdgeProblem, match=f"at most {limit} bytes"):
        await _body_of("/v1/runs", b'"%s"' % (b"x" * (limit - 1)))


async def test_a_body_that_does_not_end_in_time_is_given_up() -> None:
    async def never() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(EdgeProblem, match=r"did not arrive within 0\.01 seconds") as refused:
        await BodyLimits(_reader([]), seconds=0.01)(_post("/v1/runs"), never, _ignore)
    assert refused.value.status_code == 408


async def _body_of(path: str, body: bytes) -> bytes:
    read: list[bytes] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    await BodyLimits(_reader(read))(_post(path), receive, _ignore)
    return read[0]


def _reader(read: list[bytes]) -> Any:
    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        read.append((await receive())["body"])

    return app


def _post(path: str) -> Scope:
    return {"type": "http", "method": "POST", "path": path, "headers": [(b"content-type", b"application/json")]}


async def _ignore(_message: Message) -> None:
    pass
