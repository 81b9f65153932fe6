"""The key of a table's rows as a policy declares it: writers add newer rows of a key instead of changing older ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from engine.domain.policies import OFF

KEY_SETTING: Final = "rewrite.key"


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """By which columns rows are merged: see `rewrite.key`; names as the policy has them."""

    columns: tuple[str, ...]
    version: str
    deleted: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self | None:
        """Return the key that effective policy values (by dotted name) declare; None if they declare none."""
        written = values[KEY_SETTING]
        if written == OFF:
            return None
        return cls(tuple(written["columns"]), written["version"], written.get("deleted"))

    @property
    def words(self) -> str:
        """The key for messages, such as `newest at of each id, unless gone`."""
        deleted = "" if self.deleted is None else f", unless {self.deleted}"
        return f"newest {self.version} of each {', '.join(self.columns)}{deleted}"
