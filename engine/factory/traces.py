"""Starts the export of traces where the environment asks for it; otherwise OpenTelemetry is not even imported."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Final

from engine.domain.errors import InvalidInput

_PACKAGE: Final = "packhouse-server"
_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_ACCEPTED: Final = {
    "OTEL_TRACES_EXPORTER": "otlp",
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
}
"""Variables of OpenTelemetry of which Packhouse supports one value."""


@contextmanager
def exported_traces(process: str, environ: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Export the spans of this process inside, if `OTEL_EXPORTER_OTLP_ENDPOINT` is set.

    Raises:
        InvalidInput: the extra `otel` is not installed, or a variable has a value that is not supported.
    """
    endpoint = next((name for name in _ENDPOINTS if environ.get(name)), None)
    is_off = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if endpoint is None or is_off or environ.get("OTEL_TRACES_EXPORTER") == "none":
        yield
        return
    for name, accepted in _ACCEPTED.items():
        if environ.get(name, accepted) != accepted:
            raise InvalidInput(f"{name}: only {accepted} is supported: unset it, or unset {endpoint} to send no traces")
    with ExitStack() as stack:
        try:
            from engine.tracing.otel import exporting  # noqa: PLC0415 - an extra, which takes a while to import

            stack.enter_context(exporting(process, version(_PACKAGE)))
        except ImportError as error:
            raise InvalidInput(
                f"{endpoint} needs Python packages that are not installed: pip install '{_PACKAGE}[otel]', or unset it"
            ) from error
        except ValueError as error:
            raise InvalidInput(f"the variables OTEL_* of OpenTelemetry can't be used: {error}") from error
        yield
