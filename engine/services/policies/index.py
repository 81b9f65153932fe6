"""In-memory index of scoped policies, to find those that cover each of many tables.

For each namespace its policies, and the patterns whose literal prefix can match tables in it, are found once and
cached. Only these patterns are matched against its tables. Policies of teams and labels are looked up.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from engine.domain.policies import PolicyScopeKind, ScopedTable, StoredPolicy
from engine.stores.policies.coverage import strength

NamespacePath = tuple[str, ...]
"""A catalog and namespace levels; empty for the fleet."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A policy with a pattern. `start`: the literal prefix before the first wildcard."""

    start: str
    policy: StoredPolicy

    @classmethod
    def of(cls, policy: StoredPolicy) -> "_Pattern":
        return cls(re.split(r"[*?]", policy.scope.pattern or "", maxsplit=1)[0], policy)

    def can_fit(self, beginning: str) -> bool:
        """Return whether an address with this prefix can match."""
        return beginning.startswith(self.start) or self.start.startswith(beginning)


class PolicyIndex:
    """Finds the given policies that cover a table, except its own policy."""

    def __init__(self, policies: Iterable[StoredPolicy]) -> None:
        self._by_place: dict[NamespacePath, list[StoredPolicy]] = defaultdict(list)
        self._by_team: dict[str | None, list[StoredPolicy]] = defaultdict(list)
        self._by_label: dict[tuple[str | None, str | None], list[StoredPolicy]] = defaultdict(list)
        self._patterns: list[_Pattern] = []
        self._known: dict[NamespacePath, tuple[list[StoredPolicy], list[_Pattern]]] = {}
        for policy in sorted(policies, key=strength):
            scope = policy.scope
            match scope.kind:
                case PolicyScopeKind.PATTERN:
                    self._patterns.append(_Pattern.of(policy))
                case PolicyScopeKind.TEAM:
                    self._by_team[scope.team].append(policy)
                case PolicyScopeKind.LABEL:
                    self._by_label[scope.label_key, scope.label_value].append(policy)
                case _:
                    self._by_place[_place(policy)].append(policy)

    def covering(self, table: ScopedTable) -> list[StoredPolicy]:
        """Return the policies that cover a table, weakest first."""
        place = (table.ref.catalog, *table.ref.namespace)
        if place not in self._known:
            self._known[place] = self._around(place)
        around, patterns = self._known[place]
        more = [each.policy for each in patterns if each.policy.scope.covers(table)]
        if table.owner_team is not None:
            more += self._by_team.get(table.owner_team, ())
        if self._by_label:
            more += [policy for label in table.labels.items() for policy in self._by_label.get(label, ())]
        return sorted([*around, *more], key=strength) if more else around

    def _around(self, place: NamespacePath) -> tuple[list[StoredPolicy], list[_Pattern]]:
        """Return the policies of a namespace and its parents, and the patterns that can match tables in it."""
        outer = [place[:levels] for levels in range(len(place) + 1)]
        address = ".".join(place) + "."
        fitting = [each for each in self._patterns if each.can_fit(address)]
        return [policy for each in outer for policy in self._by_place.get(each, ())], fitting


def _place(policy: StoredPolicy) -> NamespacePath:
    """Return catalog and namespace levels of a scope; empty for the fleet, the parent of all catalogs."""
    scope = policy.scope
    return () if scope.catalog is None else (scope.catalog, *(scope.namespace or ()))
