"""What the code under test logs is shown with plain tracebacks: those with all local variables take seconds each."""

import structlog


def pytest_configure() -> None:
    """Set structlog up for tests; a test that looks at logs sets up its own."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ]
    )
