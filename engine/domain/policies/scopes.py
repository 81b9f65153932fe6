"""Which tables a policy covers: the fleet, a catalog, a namespace, a pattern of addresses, or one table.

Order of strength, weakest first: fleet, catalog, namespace (outer to inner), pattern (fewer to more literal characters,
then name), table.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.domain.globs import matches
from engine.domain.tables import TableRef

MAX_PATTERN: Final = 500


class PolicyScopeKind(StrEnum):
    """The kinds of scopes."""

    FLEET = "fleet"
    CATALOG = "catalog"
    NAMESPACE = "namespace"
    PATTERN = "pattern"
    TABLE = "table"


_FIELDS: Final[dict[PolicyScopeKind, frozenset[str]]] = {
    PolicyScopeKind.FLEET: frozenset(),
    PolicyScopeKind.CATALOG: frozenset({"catalog"}),
    PolicyScopeKind.NAMESPACE: frozenset({"catalog", "namespace"}),
    PolicyScopeKind.PATTERN: frozenset({"pattern"}),
    PolicyScopeKind.TABLE: frozenset({"table_id"}),
}
_RANKS: Final = {kind: rank for rank, kind in enumerate(PolicyScopeKind)}


@dataclass(frozen=True, slots=True)
class PolicyScope:
    """A scope: its kind and exactly the fields that the kind needs.

    `pattern` is matched against the dotted address `catalog.namespace.name`: `*` stands for any characters (dots too),
    `?` for one; nothing else is special.

    Raises:
        ValueError: a field is missing, empty, or not of this kind.
    """

    kind: PolicyScopeKind
    catalog: str | None = None
    namespace: tuple[str, ...] | None = None
    pattern: str | None = None
    table_id: str | None = None

    def __post_init__(self) -> None:
        needed = _FIELDS[self.kind]
        for name in ("catalog", "namespace", "pattern", "table_id"):
            given = getattr(self, name) is not None
            if given and name not in needed:
                raise ValueError(f"a scope of kind {self.kind} has no {name}")
            if name in needed and not getattr(self, name):
                raise ValueError(f"a scope of kind {self.kind} needs a {name}")
        if self.pattern is not None and len(self.pattern) > MAX_PATTERN:
            raise ValueError(f"a pattern has at most {MAX_PATTERN} characters")

    @property
    def strength(self) -> tuple[int, int]:
        """Sort key, weakest first. Patterns of one strength are told apart by the names of their policies."""
        match self.kind:
            case PolicyScopeKind.NAMESPACE:
                return _RANKS[self.kind], len(self.namespace or ())
            case PolicyScopeKind.PATTERN:
                return _RANKS[self.kind], sum(character not in "*?" for character in self.pattern or "")
            case _:
                return _RANKS[self.kind], 0

    def covers(self, ref: TableRef, table_id: str) -> bool:
        """Tell whether a table's policy is made of this one too."""
        match self.kind:
            case PolicyScopeKind.FLEET:
                return True
            case PolicyScopeKind.CATALOG:
                return ref.catalog == self.catalog
            case PolicyScopeKind.NAMESPACE:
                outer = self.namespace or ()
                return ref.catalog == self.catalog and ref.namespace[: len(outer)] == outer
            case PolicyScopeKind.PATTERN:
                return matches(self.pattern or "", str(ref))
            case PolicyScopeKind.TABLE:
                return table_id == self.table_id

    def origin(self, policy_name: str) -> str:
        """Return how settings that come from here are marked in an effective policy."""
        match self.kind:
            case PolicyScopeKind.CATALOG:
                return f"catalog {self.catalog}"
            case PolicyScopeKind.NAMESPACE:
                return f"namespace {'.'.join((self.catalog or '', *(self.namespace or ())))}"
            case PolicyScopeKind.PATTERN:
                return f"pattern {policy_name}"
            case PolicyScopeKind.FLEET | PolicyScopeKind.TABLE:
                return self.kind.value


FLEET: Final = PolicyScope(PolicyScopeKind.FLEET)
"""The scope of the policy that covers every table."""
