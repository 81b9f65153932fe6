"""Spans of slow SQL statements: how long one took and its first word, never its text or parameters."""

import time
from typing import Any

from sqlalchemy import Connection, Engine, event

from engine.tracing.spans import ended, is_on


def watch_statements(engine: Engine) -> None:
    """Measure every statement of an engine that is made while spans are recorded; others cost nothing."""
    if is_on():
        event.listen(engine, "before_cursor_execute", _begin)
        event.listen(engine, "after_cursor_execute", _end)


def _begin(_connection: Connection, _cursor: Any, _text: str, _parameters: Any, context: Any, _many: bool) -> None:
    context.packhouse_begun = time.monotonic()


def _end(_connection: Connection, _cursor: Any, text: str, _parameters: Any, context: Any, _many: bool) -> None:
    word = text.lstrip()[:10].partition(" ")[0].upper()
    ended("sql", context.packhouse_begun, statement=word if word.isalpha() else "OTHER")
