"""Settings of policies that a table's own properties give; a value that no policy can have is named, not used."""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from engine.domain.policies import RewriteSettings

_LONGEST: Final = 80


@dataclass(frozen=True, slots=True)
class IgnoredProperty:
    """A table property that was ignored, and the reason."""

    name: str
    value: str
    reason: str

    @staticmethod
    def of(name: str, value: str, reason: str) -> "IgnoredProperty":
        """Return it with at most 80 characters of its value."""
        return IgnoredProperty(name, _short(value), reason)


def rewrite_setting(field: str, value: Any, *, name: str, written: str) -> Any:
    """Return the value of a setting `rewrite.<field>`, or an `IgnoredProperty` if it can't have this value.

    Args:
        field: name of the setting.
        value: as a policy would have it.
        name: the property's name.
        written: its value in the table.
    """
    try:
        return getattr(RewriteSettings.model_validate({field: value}), field)
    except ValidationError as error:
        return IgnoredProperty.of(name, written, f"{_short(repr(value))}: {error.errors()[0]['msg']}")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
