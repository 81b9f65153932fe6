"""Reasons why file groups of a run were dropped: codes for programs, and the text that is stored and shown."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self


class Loss(StrEnum):
    """A change by another writer to the files of a group, so that the group can't be committed."""

    SOURCE_GONE = "source_gone"
    """It replaced or removed one of them."""

    NEW_DELETES = "new_deletes"
    """It deleted rows of them."""

    DELETES_GONE = "deletes_gone"
    """It removed a file with deleted rows that the rewrite has applied."""

    LINEAGE_CHANGED = "lineage_changed"
    """It gave rows of them ids that the rewrite has not written."""

    TABLE_CHANGED = "table_changed"
    """It changed the table so that the whole plan no longer fits."""

    DROPPED_IN_COMMIT = "dropped_in_commit"
    """One of these, known only from the commit of the other groups."""


UNREADABLE: Final = "unreadable"
"""Code of a refused group of which an input is missing, damaged, or differs from the table's metadata."""


class DropKind(StrEnum):
    """The kind of a reason for dropping a group."""

    LOST = "lost"
    """Another writer was first; see `Loss`."""

    FAILED = "failed"
    """Its task or call failed."""

    REFUSED = "refused"
    """It can't be rewritten: the engine does not support it, the table forbids it, or an input is unreadable."""

    ENDED = "ended"
    """The run was ended, or its snapshot is no longer in the table."""


_LOSSES: Final = frozenset(Loss)

_PASSING: Final = frozenset({UNREADABLE, "heap_limit", "unsupported_storage"})
"""Codes of refusals that can end while the table stays as it is: a file is repaired, Spark gets memory or a package."""


@dataclass(frozen=True, slots=True)
class DropReason:
    """The reason for dropping a group. `code` is stable; `detail` is for people, empty if the code is sufficient."""

    kind: DropKind
    code: str
    detail: str = ""

    @classmethod
    def lost(cls, loss: Loss) -> Self:
        """Return the reason of a group that another writer made useless."""
        return cls(DropKind.LOST, loss.value)

    @classmethod
    def failed(cls, detail: str) -> Self:
        """Return the reason of a group whose task or call failed."""
        return cls(DropKind.FAILED, DropKind.FAILED.value, detail)

    @classmethod
    def refused(cls, reason: str) -> Self:
        """Return the reason of a refused group, from a text that begins with a code and a colon."""
        code, _, detail = reason.partition(":")
        return cls(DropKind.REFUSED, code, detail.strip())

    @classmethod
    def ended(cls, code: str) -> Self:
        """Return the reason of a group that was given up with its run, or whose snapshot is gone."""
        return cls(DropKind.ENDED, code)

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the reason from its text, of this version or an earlier one."""
        kind, colon, rest = text.partition(":")
        if colon and kind == DropKind.FAILED:
            return cls.failed(rest.strip())
        if colon and kind == DropKind.REFUSED:
            return cls.refused(rest.strip())
        return cls(DropKind.LOST if text in _LOSSES else DropKind.ENDED, text)

    @property
    def is_own_fault(self) -> bool:
        """Whether neither another writer nor a request is the cause."""
        return self.kind in {DropKind.FAILED, DropKind.REFUSED}

    @property
    def is_final(self) -> bool:
        """Whether the group is given up again for the same reason until the table changes."""
        return self.kind is DropKind.REFUSED and self.code not in _PASSING

    def __str__(self) -> str:
        """Return the text that is stored and shown."""
        match self.kind:
            case DropKind.FAILED:
                return f"{self.kind}: {self.detail}"
            case DropKind.REFUSED:
                return f"{self.kind}: {self.code}: {self.detail}" if self.detail else f"{self.kind}: {self.code}"
            case DropKind.LOST | DropKind.ENDED:
                return self.code
