"""Rows of the lists of features: a field of the metadata or a table property, and which operations it can forbid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.formats.intake.parameters import Parameter, known, only


class Activity(StrEnum):
    """An operation that features can forbid."""

    KERNEL = "rewrites by the kernel"
    PROCEDURE = "rewrites by Iceberg's procedure"
    DELETES = "rewrites of delete files"
    UPKEEP = "upkeep: expiry, removal of files, rewrites of manifests"


@dataclass(frozen=True, slots=True)
class Feature:
    """A field or property, and the operations that its values can forbid."""

    parameter: Parameter
    concerns: tuple[Activity, ...] = ()


ALL: Final = tuple(Activity)
WRITING: Final = tuple(each for each in Activity if each is not Activity.UPKEEP)
"""Operations that add data files or delete files."""


def plain(writers: str, meaning: str, *names: str) -> Iterator[Feature]:
    """Yield features that forbid nothing."""
    yield from (Feature(each) for each in known(writers, meaning, *names))


def forbid(
    concerns: Sequence[Activity], writers: str, meaning: str, accepted: Sequence[str], remedy: str, *names: str
) -> Iterator[Feature]:
    """Yield features with which operations are right for some values only."""
    yield from (Feature(only(name, writers, meaning, accepted, remedy), tuple(concerns)) for name in names)
