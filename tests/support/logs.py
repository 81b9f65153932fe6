"""What the code under test logs is shown with plain tracebacks: those with all local variables take seconds each."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

import structlog

from engine.logging import LogFormat, configure_logging


def pytest_configure() -> None:
    """Set structlog up for tests; a test that looks at logs sets up its own."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ]
    )


@contextmanager
def own_lines() -> Iterator[io.StringIO]:
    """Send the service's own logging, as JSON, to a string inside; restored afterwards."""
    root, written = logging.getLogger(), io.StringIO()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    with redirect_stderr(written):
        configure_logging("INFO", log_format=LogFormat.JSON)
    yield written
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configuration)
