"""Types of settings: durations, secrets that may be in a file, JSON."""

import json
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, SecretStr

from engine.domain.values.hints import Misread
from engine.domain.values.units import parse_duration

DAY: Final = 86_400
_FILE: Final = "file:"
_LONGEST_SECRET: Final = 64 * 1024
_ABSOLUTE: Final = "such as 'file:/run/secrets/packhouse'"


def unset(words: str) -> dict[str, Any]:
    """Return the part of a field's schema that describes its default in words."""
    return {"unset": words}


def reveal(secret: SecretStr | None) -> str | None:
    """Return the text of a secret; None without one."""
    return None if secret is None else secret.get_secret_value()


def to_upper(value: Any) -> Any:
    """Return a text in upper case, anything else as it is."""
    return value.upper() if isinstance(value, str) else value


def from_json(value: Any) -> Any:
    """Return what a text in JSON says, anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise Misread("must be JSON", """such as '{"lake-admins": "admin"}'""") from None


def _seconds(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return float(parse_duration(value))
    return value


def _kept(value: float) -> float:
    if value and not DAY * 7 <= value <= DAY * 36_500:
        raise Misread("must be 0 (without a limit), or from 7 days to 100 years", "such as '90d'")
    return value


def _from_file(value: Any) -> Any:
    """Return the text of the file that `file:/path` names, without the line's end; any other value as it is."""
    if not isinstance(value, str) or not value.startswith(_FILE):
        return value
    path = Path(value.removeprefix(_FILE))
    if not path.is_absolute():
        raise Misread("must name a file by an absolute path", _ABSOLUTE)
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST_SECRET + 1).decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise Misread(f"names the file {path}, which can't be read: {reason}", _ABSOLUTE) from None
    if len(text) > _LONGEST_SECRET or not text.strip():
        raise Misread(f"names the file {path}, which is empty or longer than 64 KiB", _ABSOLUTE)
    return text.rstrip("\r\n")


Seconds = Annotated[float, BeforeValidator(_seconds)]
"""Seconds as a number, or a duration such as `30s` or `5m`."""

Kept = Annotated[Seconds, AfterValidator(_kept)]
"""Retention of rows in seconds; at least a week, because figures cover a week."""

Secret = Annotated[SecretStr, BeforeValidator(_from_file)]
"""A secret: the value itself, or `file:/path` of a file that has it, which is read once, at the start."""
