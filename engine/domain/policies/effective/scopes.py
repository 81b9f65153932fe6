"""Policy scopes: the fleet, a team, a catalog, a namespace, a pattern, a label, or one table.

Order of strength, weakest first: fleet, team, catalog, namespace (outer to inner), pattern (fewer to more literal
characters), label, table. Policies of equal strength (patterns, and labels of different keys) are ordered by name.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from engine.domain.tables.table import TableRef
from engine.domain.values.globs import matches

MAX_PATTERN: Final = 500
_PLAIN_TEAM: Final = re.compile(r"[A-Za-z0-9_]{1,59}")  # with `team-` it is a name of at most 64 characters


class PolicyScopeKind(StrEnum):
    """The kinds of scopes, weakest first."""

    FLEET = "fleet"
    TEAM = "team"
    CATALOG = "catalog"
    NAMESPACE = "namespace"
    PATTERN = "pattern"
    LABEL = "label"
    TABLE = "table"


_FIELDS: Final[dict[PolicyScopeKind, frozenset[str]]] = {
    PolicyScopeKind.FLEET: frozenset(),
    PolicyScopeKind.TEAM: frozenset({"team"}),
    PolicyScopeKind.CATALOG: frozenset({"catalog"}),
    PolicyScopeKind.NAMESPACE: frozenset({"catalog", "namespace"}),
    PolicyScopeKind.PATTERN: frozenset({"pattern"}),
    PolicyScopeKind.LABEL: frozenset({"label_key", "label_value"}),
    PolicyScopeKind.TABLE: frozenset({"table_id"}),
}
_RANKS: Final = {kind: rank for rank, kind in enumerate(PolicyScopeKind)}


class ScopedTable(Protocol):
    """The attributes of a table that scopes are compared with (`domain.tables.table.Table` has them)."""

    @property
    def id(self) -> str:
        """The table's id."""

    @property
    def ref(self) -> TableRef:
        """Its address."""

    @property
    def owner_team(self) -> str | None:
        """The team that owns it, None for none."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""


@dataclass(frozen=True, slots=True)
class TableTraits:
    """A `ScopedTable` without the rest of the registration."""

    id: str
    ref: TableRef
    owner_team: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def team_policy_name(team: str) -> str:
    """Return the name that owners give the policy of their team: readable, and another one for each team.

    The command line derives the same name (`packhouse.arguments.targets.name_for`).
    """
    if _PLAIN_TEAM.fullmatch(team):
        return f"team-{team}"
    mark = hashlib.sha256(f"team\0{team}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub('[^A-Za-z0-9_]+', '-', f'team-{team}')[:50].strip('-')}-{mark}"


@dataclass(frozen=True, slots=True)
class PolicyScope:
    """A scope: its kind and exactly the fields that the kind needs.

    `pattern` is matched against the dotted address `catalog.namespace.name`: `*` stands for any characters (dots too),
    `?` for one; nothing else is special. A label's value may be empty.

    Raises:
        ValueError: a field is missing, empty, or not of this kind.
    """

    kind: PolicyScopeKind
    catalog: str | None = None
    namespace: tuple[str, ...] | None = None
    pattern: str | None = None
    table_id: str | None = None
    team: str | None = None
    label_key: str | None = None
    label_value: str | None = None

    def __post_init__(self) -> None:
        needed = _FIELDS[self.kind]
        for name in ("catalog", "namespace", "pattern", "table_id", "team", "label_key", "label_value"):
            value = getattr(self, name)
            if value is not None and name not in needed:
                raise ValueError(f"a scope of kind {self.kind} has no {name}")
            if name in needed and (value is None or (not value and name != "label_value")):
                raise ValueError(f"a scope of kind {self.kind} needs a {name}")
        if self.pattern is not None and len(self.pattern) > MAX_PATTERN:
            raise ValueError(f"a pattern has at most {MAX_PATTERN} characters")

    @property
    def strength(self) -> tuple[int, int]:
        """Sort key, weakest first. The names of the policies order scopes of equal strength."""
        match self.kind:
            case PolicyScopeKind.NAMESPACE:
                return _RANKS[self.kind], len(self.namespace or ())
            case PolicyScopeKind.PATTERN:
                return _RANKS[self.kind], sum(character not in "*?" for character in self.pattern or "")
            case _:
                return _RANKS[self.kind], 0

    def covers(self, table: ScopedTable) -> bool:
        """Return whether a policy of this scope is part of a table's effective policy."""
        match self.kind:
            case PolicyScopeKind.FLEET:
                covers = True
            case PolicyScopeKind.TEAM:
                covers = table.owner_team == self.team
            case PolicyScopeKind.CATALOG:
                covers = table.ref.catalog == self.catalog
            case PolicyScopeKind.NAMESPACE:
                outer = self.namespace or ()
                covers = table.ref.catalog == self.catalog and table.ref.namespace[: len(outer)] == outer
            case PolicyScopeKind.PATTERN:
                covers = matches(self.pattern or "", str(table.ref))
            case PolicyScopeKind.LABEL:
                covers = table.labels.get(self.label_key or "") == self.label_value
            case PolicyScopeKind.TABLE:
                covers = table.id == self.table_id
        return covers

    def origin(self, policy_name: str) -> str:
        """Return the origin of settings from this scope, as an effective policy names it."""
        match self.kind:
            case PolicyScopeKind.TEAM:
                return f"team {self.team}"
            case PolicyScopeKind.CATALOG:
                return f"catalog {self.catalog}"
            case PolicyScopeKind.NAMESPACE:
                return f"namespace {'.'.join((self.catalog or '', *(self.namespace or ())))}"
            case PolicyScopeKind.PATTERN:
                return f"pattern {policy_name}"
            case PolicyScopeKind.LABEL:
                return f"label {_quoted(self.label_key or '')}={self.label_value}"
            case PolicyScopeKind.FLEET | PolicyScopeKind.TABLE:
                return self.kind.value


def _quoted(key: str) -> str:
    """Return a label's key, quoted if it contains `=` or quotes, so that no two labels have the same text."""
    return json.dumps(key, ensure_ascii=False) if {"=", '"'} & set(key) else key


FLEET: Final = PolicyScope(PolicyScopeKind.FLEET)
"""The scope of the policy that covers every table."""
