"""Stands in for a field that the server did not answer, because it is older than this SDK."""

from typing import Any, NoReturn


class FieldNotAnswered(AttributeError):
    """A field of an answer was used that the server, of an older version, does not have."""


class NotAnswered:
    """The value of a field that is missing in an answer. Each use of it raises `FieldNotAnswered`."""

    __slots__ = ("_field",)

    def __init__(self, field: str) -> None:
        self._field = field

    def __repr__(self) -> str:
        return f"<{self._field}: not answered>"

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, _: object) -> "NotAnswered":
        return self

    def _refuse(self, *_: object) -> NoReturn:
        raise FieldNotAnswered(
            f"the server did not answer the field {self._field!r}: its version is older than the SDK's"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # asked by pydantic and copy, not by users
            raise AttributeError(name)
        self._refuse()

    __bool__ = __len__ = __int__ = __float__ = __iter__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __getitem__ = _refuse


def not_answered(field: str) -> Any:
    """Return the default of a field that every answer of the present version has."""
    return NotAnswered(field)
