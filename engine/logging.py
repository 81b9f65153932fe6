"""Logging of the service and its libraries to standard error: text on a terminal, otherwise one JSON object per line.

Each line has the fields that are bound to the context: the request's id while a request is served; the run, its table
and the request that submitted it during an attempt; and the ids of the current span, if there is one.
"""

import io
import logging
import sys
from enum import StrEnum
from typing import Final, TextIO

import structlog
from structlog.types import EventDict, ExcInfo, Processor

from engine.domain.values.uris import masked
from engine.tracing.spans import log_fields

_CHATTY: Final = (
    "aiosqlite",
    "alembic",
    "httpx",
    "py4j",
    "pyiceberg",
    "uvicorn.access",
)  # our own request line has more fields


class LogFormat(StrEnum):
    """The format of log lines; `auto` is `text` on a terminal, otherwise `json`."""

    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


def configure_logging(level: str, *, log_format: LogFormat = LogFormat.AUTO) -> None:
    """Send structlog and the standard library's logging to standard error. Called once, at a composition root.

    Raises:
        ValueError: no such level.
    """
    stream = sys.stderr
    is_text = log_format is LogFormat.TEXT or (log_format is LogFormat.AUTO and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        _add_trace,
        structlog.stdlib.add_log_level,
        _short_time if is_text else structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _drop_colours,
                *(_text(stream) if is_text else _JSON_LINE),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def _add_trace(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Add the ids of the current span."""
    return {**event, **log_fields()}


def _mask_secrets(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Mask secrets in URIs, connection strings and headers: libraries log and raise the values that they received."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = masked(value)
    return event


_JSON_LINE: Final[tuple[Processor, ...]] = (
    structlog.processors.format_exc_info,
    _mask_secrets,
    structlog.processors.JSONRenderer(default=str),
)

_short_time: Final = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False)


def _text(stream: TextIO) -> tuple[Processor, ...]:
    """Return the processors of text lines: local time, level, event, then the fields; colours on a terminal only."""
    renderer = structlog.dev.ConsoleRenderer(
        colors=stream.isatty(), pad_event_to=22, exception_formatter=_escaped_traceback
    )
    return (_mask_secrets, _escape_event, renderer)


def _escape_event(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Escape control characters: names of tables and texts of errors must not control a terminal."""
    return {name: _escaped(value) if isinstance(value, str) else value for name, value in event.items()}


def _escaped_traceback(stream: TextIO, exc_info: ExcInfo) -> None:
    written = io.StringIO()
    structlog.dev.plain_traceback(written, exc_info)
    stream.write("\n".join(map(_escaped, masked(written.getvalue()).split("\n"))))


def _escaped(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _drop_colours(_logger: object, _method: str, event: EventDict) -> EventDict:
    event.pop("color_message", None)  # uvicorn sends each message twice
    return event
