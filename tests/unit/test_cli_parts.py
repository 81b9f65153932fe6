"""Parts of the command line that need no server: events, problems, sizes."""

import io
import json
from collections.abc import Callable, Iterator

import httpx
import pytest
from packhouse import documents, events, output, problems
from packhouse.exit_codes import ExitCode
from packhouse.main import global_options_first
from rich.console import Console


def _shown(error: problems.CommandError) -> str:
    console = Console(file=io.StringIO(), width=200)
    problems.show(error, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _client(handler: Callable[[httpx.Request], httpx.Response]) -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(handler), base_url="http://server")


class _BrokenStream(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        yield b"id: 1\ndata: one\n\nid: 2\nda"
        raise httpx.ReadError("connection reset")


def test_events_have_name_data_and_id() -> None:
    lines = ["event: state", "id: 7", 'data: {"to": "planning"}', ""]
    assert list(events.parse(lines)) == [events.ServerEvent("state", '{"to": "planning"}', "7")]


def test_heartbeats_are_passed_over_and_data_lines_are_joined() -> None:
    lines = [": heartbeat", "", "data: a", "data: b", ""]
    assert [(e.name, e.data) for e in events.parse(lines)] == [("message", "a\nb")]


def test_a_broken_stream_is_resumed_after_the_last_whole_event() -> None:
    asked: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("last-event-id"))
        if len(asked) == 1:
            return httpx.Response(200, stream=_BrokenStream())
        return httpx.Response(200, content=b"id: 2\ndata: two\n\n") if len(asked) == 2 else httpx.Response(204)

    seen = [event.data for event in events.follow(_client(answer), "/events", pause=lambda _: None)]
    assert (seen, asked) == (["one", "two"], [None, "1", "2"])


def test_a_stream_that_ends_without_an_event_again_and_again_is_given_up() -> None:
    with pytest.raises(httpx.TransportError, match="ended too early"):
        list(events.follow(_client(lambda _: httpx.Response(200)), "/events", pause=lambda _: None))


def test_a_server_that_stays_away_ends_the_stream() -> None:
    waits: list[float] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(httpx.ConnectError):
        list(events.follow(_client(refuse), "/events", pause=waits.append))
    assert waits == sorted(waits)
    assert len(waits) == 4


def test_a_problem_shows_field_value_and_remedy() -> None:
    document = {
        "title": "Invalid input",
        "detail": "the policy is wrong",
        "errors": [{"pointer": "/rewrite/target_file_bytes", "message": "too small", "value": 5, "hint": "use 1MiB"}],
    }
    text = _shown(problems.from_response(422, json.dumps(document).encode()))
    for part in ("the policy is wrong", "rewrite.target_file_bytes", "too small", "given: 5", "use 1MiB"):
        assert part in text


def test_an_answer_that_is_no_problem_document_is_shown_by_its_text() -> None:
    error = problems.from_response(502, b"<html>bad gateway</html>")
    assert error.code is ExitCode.ERROR
    assert "502" in _shown(error)
    assert "bad gateway" in _shown(error)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, ExitCode.UNAUTHENTICATED),
        (404, ExitCode.NOT_FOUND),
        (409, ExitCode.CONFLICT),
        (422, ExitCode.USAGE),
        (503, ExitCode.UNREACHABLE),
        (500, ExitCode.ERROR),
    ],
)
def test_each_kind_of_refusal_has_its_exit_code(status: int, code: ExitCode) -> None:
    assert problems.from_response(status, b'{"title": "no"}').code is code


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (128 * 2**20, "128 MiB"), (3 * 2**40, "3 TiB")]
)
def test_sizes_are_binary_with_three_digits(count: int, text: str) -> None:
    assert output.size(count) == text


@pytest.mark.parametrize(("count", "text"), [(0.84, "0.8 s"), (125, "2 min 05 s"), (11_400, "3 h 10 min")])
def test_durations_are_short(count: float, text: str) -> None:
    assert output.seconds(count) == text


def test_dotted_fields_are_set_as_yaml_and_null_takes_them_away() -> None:
    words = ["limits.bandwidth=80MB", "rewrite.min_input_files=3", "enabled=null"]
    changed = documents.with_fields({"enabled": False, "rewrite": {"strategy": "binpack"}}, words)
    assert changed == {
        "rewrite": {"strategy": "binpack", "min_input_files": 3},
        "limits": {"bandwidth": "80MB"},
    }


def test_setting_fields_leaves_the_given_document_alone() -> None:
    given = {"rewrite": {"min_input_files": 5}}
    documents.with_fields(given, ["rewrite.min_input_files=3"])
    assert given == {"rewrite": {"min_input_files": 5}}


def test_a_field_below_a_value_is_refused() -> None:
    with pytest.raises(problems.CommandError, match="enabled is a value"):
        documents.with_fields({"enabled": True}, ["enabled.now=1"])


def test_null_fields_and_empty_sections_are_left_out() -> None:
    document = {"enabled": None, "limits": {"bandwidth": 1, "requests": None}, "rewrite": {"deletes": {"files": None}}}
    assert documents.without_nulls(document) == {"limits": {"bandwidth": 1}}


def test_a_policy_file_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(problems.CommandError, match="no mapping"):
        documents.read_document(io.StringIO("- a\n- b\n"))


def test_global_options_may_stand_anywhere() -> None:
    arguments = ["tables", "list", "--output", "json", "--limit", "3", "--url=http://x"]
    assert global_options_first(arguments) == ["--output", "json", "--url=http://x", "tables", "list", "--limit", "3"]


def test_what_follows_two_dashes_is_left_alone() -> None:
    assert global_options_first(["tables", "get", "--", "-o"]) == ["tables", "get", "--", "-o"]
