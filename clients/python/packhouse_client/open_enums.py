"""Base class of the API's enums. A value of a newer server that this version does not know is kept, as its text."""

from enum import StrEnum
from typing import Self


class OpenEnum(StrEnum):
    """An enum of texts whose unknown values are members without a constant: `RunState("resting").value == "resting"`.

    An answer stays readable when the server adds a value. `is_known` tells the two apart.
    """

    @property
    def is_known(self) -> bool:
        """Return whether this version has a constant for the value."""
        return self._name_ in type(self).__members__

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = unknown._value_ = value
        return unknown
