"""Folders of a partition that a writer puts a file into, while a rewrite replaces the folder by another one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LocationRole(StrEnum):
    """Use of a folder of a partition."""

    CURRENT = "current"
    """Readers find its files."""

    NEXT = "next"
    """A rewrite has written to it, and will put it in place of the current one."""


@dataclass(frozen=True, slots=True)
class WriteLocation:
    """A folder of a partition. `has_file`: the rows of the file in question are in it, or merged into its files."""

    location: str
    role: LocationRole
    has_file: bool


@dataclass(frozen=True, slots=True)
class NamedFile:
    """The name of a file that its writer puts into several folders.

    Attributes:
        name: the name.
        is_new: it was given just now.
        valid_until: the instant until which the folders that have it can be asked for.
    """

    name: str
    is_new: bool
    valid_until: datetime


@dataclass(frozen=True, slots=True)
class WriteLocations:
    """The folders to write a file to, the current one first. `compaction_id`: of the newest rewrite, None before."""

    locations: Sequence[WriteLocation]
    compaction_id: int | None
