"""Lists of the parameters of tables that are known, with the values with which an operation is right.

A file is not all that a reader knows: a parameter of a table can change what readers find in a file, or which files
they read. Formats list every parameter whose meaning is known. A table with another parameter is left alone until the
catalog's property `meaningless-parameters` names it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final

MEANINGLESS: Final = "meaningless-parameters"
"""Catalog property with the names of further parameters that change nothing for any reader."""

_LONGEST: Final = 100
_MOST_NAMED: Final = 5
_REMEDY: Final = (
    f"if no reader goes by it, name it in the catalog's property {MEANINGLESS} (an admin's), otherwise remove it"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter by its name, as it is usually written; case does not matter, and `*` stands for any text.

    Attributes:
        name: the name, or a pattern of names.
        writers: programs that write it.
        meaning: a clause: what it says, to whom.
        accepted: values, in lower case, with which the operation is right; None: any value, empty: no value.
        remedy: a clause; empty if every value is accepted.
        can_be_declared: whether an administrator can declare that the other values change nothing, see `MEANINGLESS`.
    """

    name: str
    writers: str
    meaning: str
    accepted: frozenset[str] | None = None
    remedy: str = ""
    can_be_declared: bool = False

    def accepts(self, value: str) -> bool:
        """Return whether the operation is right for a table with this value."""
        return self.accepted is None or value.strip().lower() in self.accepted

    @property
    def decision(self) -> str:
        """The accepted values, as the documentation shows them."""
        if self.accepted is None:
            return "any"
        return ", ".join(f"`{each}`" for each in sorted(self.accepted) if each) or "none"


def known(writers: str, meaning: str, *names: str) -> Iterator[Parameter]:
    """Yield parameters that change nothing, whatever their value."""
    for name in names:
        yield Parameter(name, writers, meaning)


def only(name: str, writers: str, meaning: str, accepted: Sequence[str], remedy: str) -> Parameter:
    """Return a parameter of which some values only are accepted."""
    return Parameter(name, writers, meaning, frozenset(accepted), remedy)


@dataclass(frozen=True)
class Parameters:
    """Parameters that are known in one place. `noun`: what errors call one."""

    rows: Sequence[Parameter]
    noun: str = "parameter"

    @cached_property
    def _exact(self) -> Mapping[str, Parameter]:
        return {each.name.lower(): each for each in self.rows}

    @cached_property
    def _patterns(self) -> Sequence[Parameter]:
        return [replace(each, name=each.name.lower()) for each in self.rows if "*" in each.name]

    def find(self, name: str) -> Parameter | None:
        """Return the parameter of a name in any case, an exact name before patterns; None if it is unknown."""
        lowered = name.lower()
        exact = self._exact.get(lowered)
        return exact or next((each for each in self._patterns if fnmatchcase(lowered, each.name)), None)

    def problems(self, given: Mapping[str, str], meaningless: Sequence[str], where: str = "") -> Iterator[str]:
        """Yield a clause for each parameter that is not accepted: its name, its meaning and the remedy.

        Args:
            given: values by name.
            meaningless: patterns of further names, in lower case, that an administrator declared to change nothing.
            where: a clause before the names.
        """
        for name, value in sorted(given.items()):
            shown = f"{where}{name[:_LONGEST]}"
            found = self.find(name)
            is_declared = any(fnmatchcase(name.lower(), each) for each in meaningless)
            if is_declared and (found is None or found.can_be_declared):
                continue
            if found is None:
                yield f"{shown} is not a known {self.noun}: {_REMEDY}"
            elif not found.accepts(value):
                yield f"{shown} is {value[:_LONGEST]!r} ({found.meaning}): {found.remedy}"


def listed(problems: Sequence[str]) -> str:
    """Return the first problems as one text, with the number of the others."""
    shown = "; ".join(problems[:_MOST_NAMED])
    return f"{shown}; and {len(problems) - _MOST_NAMED} more" if len(problems) > _MOST_NAMED else shown


def meaningless_in(properties: Mapping[str, str]) -> Sequence[str]:
    """Return the names, in lower case, of the catalog's property `MEANINGLESS`, which are separated by commas."""
    names = (each.strip().lower() for each in properties.get(MEANINGLESS, "").split(","))
    return [each for each in names if each]
