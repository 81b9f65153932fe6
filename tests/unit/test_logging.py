"""Lines of the log: JSON for machines, text for people, and no line that steers a terminal."""

import io
import json
import logging
import sys
from collections.abc import Iterator

import pytest
import structlog

from engine.logging import LogFormat, configure_logging


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configuration)


def written(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, log_format: LogFormat = LogFormat.AUTO) -> str:
    """Log one line of the service, one of a library and one with a traceback; return what was written."""
    monkeypatch.setattr(sys, "stderr", stream)
    configure_logging("INFO", log_format=log_format)
    with structlog.contextvars.bound_contextvars(run_id="run_1", table="lake.shop.orders"):
        structlog.get_logger("packhouse").info("run_claimed", attempt=2)
    logging.getLogger("library").warning("a \x1b[31mred\x1b[0m\nmessage")
    try:
        int("no \x1b]0;title\x07 here")
    except ValueError:
        structlog.get_logger("packhouse").exception("attempt_crashed")
    return stream.getvalue()


def test_elsewhere_than_on_a_terminal_each_line_is_a_json_object(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.loads(line) for line in written(io.StringIO(), monkeypatch).splitlines()]
    assert [line["event"] for line in lines] == ["run_claimed", "a \x1b[31mred\x1b[0m\nmessage", "attempt_crashed"]
    assert lines[0].items() >= {"run_id": "run_1", "table": "lake.shop.orders", "attempt": 2, "level": "info"}.items()
    assert lines[0]["at"].endswith("Z")
    assert "ValueError" in lines[2]["exception"]


def test_a_terminal_gets_text_with_the_fields_of_the_context(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(Terminal(), monkeypatch)
    for part in ("run_claimed", "run_1", "lake.shop.orders", "Traceback (most recent call last)"):
        assert part in text
    assert not text.startswith("{")


def test_text_escapes_control_characters_of_libraries_and_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(io.StringIO(), monkeypatch, LogFormat.TEXT)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert r"a \x1b[31mred\x1b[0m\nmessage" in text
    assert r"\x1b]0;title\x07 here" in text


@pytest.mark.parametrize(("log_format", "is_json"), [(LogFormat.JSON, True), (LogFormat.TEXT, False)])
def test_the_setting_is_stronger_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, log_format: LogFormat, *, is_json: bool
) -> None:
    stream = Terminal() if is_json else io.StringIO()
    assert written(stream, monkeypatch, log_format).startswith("{") is is_json


@pytest.mark.parametrize("log_format", [LogFormat.JSON, LogFormat.TEXT])
def test_secrets_in_fields_and_tracebacks_are_masked(monkeypatch: pytest.MonkeyPatch, log_format: LogFormat) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    configure_logging("INFO", log_format=log_format)
    address = "https://hunter2@catalog.example/?sig=hunter3"
    logging.getLogger("library").warning("asking %s", address)
    structlog.get_logger("packhouse").info("asked", uri=address)
    try:
        int(address)
    except ValueError:
        structlog.get_logger("packhouse").exception("crashed")
    assert stream.getvalue().count("https://***@catalog.example/?***") >= 2
    assert "hunter" not in stream.getvalue()
