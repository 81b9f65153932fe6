"""Differences between two policies, leaf by leaf."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.domain.policies.documents.document import PolicyDocument


@dataclass(frozen=True, slots=True)
class Difference:
    """One leaf that differs, as it is answered; None where it is absent."""

    name: str
    before: Any
    after: Any


def differences(before: PolicyDocument | None, after: PolicyDocument | None) -> tuple[Difference, ...]:
    """Return the leaves that differ between two documents, by name; None is an empty document."""
    return differing_leaves(before.written() if before else {}, after.written() if after else {})


def differing_leaves(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Return the leaves that differ, by name. For effective policies: of their `written()`."""
    names = sorted(before.keys() | after.keys())
    return tuple(
        Difference(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    )
