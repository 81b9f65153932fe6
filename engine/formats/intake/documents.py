"""Foreign JSON documents, with every value's type checked where it is taken."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.formats.intake.limits import Malformed

_SIGNS: Final = (b",", b"[", b"{")
_BITS: Final = 63
_LONGEST_SHOWN: Final = 80


class Document:
    """A JSON object from a foreign file. Every method raises `Malformed`, with the field, for a wrong value."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    @staticmethod
    def parse(body: bytes, *, most_values: int) -> "Document":
        """Return the JSON object in a file's content, in UTF-8.

        Args:
            body: the content.
            most_values: limit of the values in it, which take about 100 bytes of memory each.
        """
        if (count := sum(map(body.count, _SIGNS))) > most_values:
            raise Malformed(f"it has about {count:,} JSON values; {most_values:,} is the limit")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Malformed("it is not a JSON document") from error
        if not isinstance(found, dict):
            raise Malformed("it is not a JSON object")
        return Document(found)

    def text(self, name: str) -> str:
        """Return a text that must be present."""
        return str(self._of(name, str, "a text"))

    def optional_text(self, name: str) -> str | None:
        """Return a text; None if it is null or absent."""
        return None if self._values.get(name) is None else self.text(name)

    def whole(self, name: str, *, least: int = 0) -> int:
        """Return a whole number of 64 bits that must be present and at least `least`."""
        value = self._of(name, int, "a whole number")
        if isinstance(value, bool) or not least <= value < 2**_BITS:
            raise Malformed(f"{name} is {_shown(value)}, not a whole number from {least} to 2^{_BITS}")
        return int(value)

    def optional_whole(self, name: str, *, least: int = 0) -> int | None:
        """Return a whole number of 64 bits; None if it is null or absent."""
        return None if self._values.get(name) is None else self.whole(name, least=least)

    def texts(self, name: str) -> Sequence[str]:
        """Return a list of texts; empty if it is null or absent."""
        found = self._list(name)
        if not all(isinstance(each, str) for each in found):
            raise Malformed(f"{name} is not a list of texts")
        return found

    def text_map(self, name: str) -> Mapping[str, str]:
        """Return an object whose values are texts; empty if it is null or absent."""
        found: Any = self._values.get(name) or {}
        if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
            raise Malformed(f"{name} is not an object of texts")
        return found

    def documents(self, name: str) -> Sequence["Document"]:
        """Return a list of objects; empty if it is null or absent."""
        found = self._list(name)
        if not all(isinstance(each, dict) for each in found):
            raise Malformed(f"{name} is not a list of objects")
        return [Document(each) for each in found]

    def optional(self, name: str) -> Any:
        """Return a value of any type; None if it is null or absent."""
        return self._values.get(name)

    def value(self, name: str) -> Any:
        """Return a value of any type that must be present and not null."""
        if self._values.get(name) is None:
            raise Malformed(f"{name} is missing")
        return self._values[name]

    def _list(self, name: str) -> list[Any]:
        found: Any = self._values.get(name) or []
        if not isinstance(found, list):
            raise Malformed(f"{name} is not a list")
        return found

    def _of(self, name: str, kind: type[Any], wanted: str) -> Any:
        value = self.value(name)
        if not isinstance(value, kind):
            raise Malformed(f"{name} is {_shown(value)}, not {wanted}")
        return value


def _shown(value: Any) -> str:
    """Return a foreign value for a message; only the kind of one that can be huge."""
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"a number of {value.bit_length()} bits"
    return repr(value)[:_LONGEST_SHOWN] if isinstance(value, int | float) else f"a {type(value).__name__}"
