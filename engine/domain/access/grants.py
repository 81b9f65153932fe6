"""Grants: which teams may list, register and read the tables of a catalog.

A catalog has a list of grants; without grants only admins, and callers who own tables in it, see the catalog. A grant
names a team, patterns of namespaces and rights. Admins hold every right and need no grant; a caller of every team
(`teams` is None) holds the grants of all teams.

A pattern is matched against the whole namespace with its levels joined by dots: `sales` covers the namespace sales
alone, `sales.*` the namespaces inside it, `*` all. A namespace with a dot inside a level is covered by no pattern:
catalogs that store namespaces as dotted text (SQL catalogs do) take `("sales.eu",)` and `("sales", "eu")` for the same
namespace, and a second address of a table must not pass for another table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self

from engine.domain.access.callers import Caller, Role
from engine.domain.values.globs import matches

EVERY_TEAM: Final = "*"
EVERY_NAMESPACE: Final = "*"
MAX_GRANTS: Final = 200
MAX_PATTERNS: Final = 50
MAX_PATTERN_CHARACTERS: Final = 500


class Right(StrEnum):
    """A right that a grant gives. None includes another."""

    DISCOVER = "discover"
    """List the tables of the catalog, registered or not."""
    REGISTER = "register"
    """Register tables for teams of the caller."""
    READ = "read"
    """Read registered tables of other teams and of no team, without changing them."""


_RIGHTS: Final = frozenset(Right)


@dataclass(frozen=True, slots=True)
class Grant:
    """Rights of one team (`*`: of every team) on the namespaces that match one of the patterns."""

    team: str
    namespaces: tuple[str, ...]
    rights: tuple[Right, ...]

    def is_held_by(self, caller: Caller) -> bool:
        """Return whether the caller belongs to the team. A caller without a team holds no grant, not even of `*`."""
        teams = caller.visible_teams
        return teams is None or self.team in teams or (self.team == EVERY_TEAM and bool(teams))

    def covers(self, namespace: Sequence[str]) -> bool:
        """Return whether a pattern matches the namespace."""
        if any("." in level for level in namespace):
            return False
        return any(matches(pattern, ".".join(namespace)) for pattern in self.namespaces)

    def document(self) -> dict[str, Any]:
        """Return the form that is stored and audited."""
        return {
            "team": self.team,
            "namespaces": list(self.namespaces),
            "rights": [right.value for right in self.rights],
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the grant of a stored document, without rights that only newer versions define."""
        rights = tuple(Right(right) for right in document["rights"] if right in _RIGHTS)
        return cls(document["team"], tuple(document["namespaces"]), rights)


@dataclass(frozen=True, slots=True)
class ReadableNamespaces:
    """Namespaces of a catalog whose tables may be read; None: all without a dot inside a level."""

    catalog: str
    namespaces: frozenset[tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class VisibleTables:
    """The tables that a caller may see: those of its teams, and those in namespaces that it may read."""

    teams: frozenset[str]
    readable: tuple[ReadableNamespaces, ...] = ()


def held(caller: Caller, grants: Iterable[Grant]) -> tuple[Grant, ...]:
    """Return the grants that the caller holds."""
    return tuple(grant for grant in grants if grant.is_held_by(caller))


def allows(caller: Caller, grants: Iterable[Grant], right: Right, namespace: Sequence[str]) -> bool:
    """Return whether the caller has a right on the tables of a namespace."""
    if caller.role is Role.ADMIN:
        return True
    return any(right in grant.rights and grant.covers(namespace) for grant in held(caller, grants))


def has_anywhere(caller: Caller, grants: Iterable[Grant], right: Right) -> bool:
    """Return whether the caller has a right on any namespace of the catalog."""
    return caller.role is Role.ADMIN or any(right in grant.rights for grant in held(caller, grants))
