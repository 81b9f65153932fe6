"""Logs: one JSON object a line on standard error, ours and the libraries' alike, with what is bound to the context."""

import logging
import sys
from typing import Final

import structlog
from structlog.types import EventDict, Processor

_CHATTY: Final = ("aiosqlite", "py4j", "pyiceberg", "uvicorn.access")  # our own request line says more


def configure_logging(level: str) -> None:
    """Send structlog and the standard library's logging to standard error. Called once, at a composition root.

    Raises:
        ValueError: no such level.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _drop_colours,
                structlog.processors.JSONRenderer(default=str),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def _drop_colours(_logger: object, _method: str, event: EventDict) -> EventDict:
    event.pop("color_message", None)  # uvicorn sends each message twice
    return event
