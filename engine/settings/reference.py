"""The reference of all settings as a page in Markdown, `docs/reference/settings.md`, from their descriptions."""

from collections.abc import Iterator
from typing import Any, Final

from pydantic.fields import FieldInfo

from engine.domain.values.units import format_bytes
from engine.settings.model import Settings
from engine.settings.process import PREFIX
from engine.settings.reading import is_secret

_HEAD: Final = """\
# Settings
Environment variables, read once at the start of `packhouse-server`. This page is generated: `make openapi` writes it.

A duration is a number of seconds, or text such as `30s`, `5m` or `90d`. A size is a number of bytes, or text such as
`8GiB`. **A secret** is never in logs and errors; its value can be in a file: `file:/run/secrets/name` names it by an
absolute path, and the end of its line is left out. With an invalid value, or a name that looks like a misspelt setting,
the process does not start, and names it.

| variable | default | meaning |
| --- | --- | --- |
"""

_TAIL: Final = """
[Traces](../how-to/traces.md) have no settings here: the variables `OTEL_*` of OpenTelemetry are followed.
"""


def settings_page() -> str:
    """Return the text of the page."""
    return _HEAD + "".join(_rows()) + _TAIL


def _rows() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        secret = "**A secret.** " if is_secret(name) else ""
        yield f"| `{PREFIX}{name.upper()}` | {_default(name, field)} | {secret}{field.description} |\n"


def _default(name: str, field: FieldInfo) -> str:
    extra: Any = field.json_schema_extra or {}
    if "unset" in extra:
        return str(extra["unset"])
    value = field.default
    if value in (None, "", {}):
        return "unset"
    if isinstance(value, bool):
        return "`on`" if value else "`off`"
    if name.endswith("_bytes"):
        return f"`{format_bytes(value).replace(' ', '')}`"
    return f"`{value}`"
