"""Scoped policies in memory, to find for each of very many tables the ones that cover it.

What holds for a namespace is found once and kept: its policies, and the patterns whose literal beginning lets them fit
anything in it. Only those are tried on each of its tables. Policies of teams and labels are looked up.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from engine.domain.policies import PolicyScopeKind, ScopedTable, StoredPolicy
from engine.stores.policies.coverage import strength

Place = tuple[str, ...]
"""A catalog and levels of a namespace; empty for the whole fleet."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A policy with a pattern. `start`: what stands before the first wildcard."""

    start: str
    policy: StoredPolicy

    @classmethod
    def of(cls, policy: StoredPolicy) -> "_Pattern":
        return cls(re.split(r"[*?]", policy.scope.pattern or "", maxsplit=1)[0], policy)

    def can_fit(self, beginning: str) -> bool:
        """Tell whether an address with this beginning can fit."""
        return beginning.startswith(self.start) or self.start.startswith(beginning)


class PolicyIndex:
    """Finds the policies of a table among those given; a table's own policy is not one of them."""

    def __init__(self, policies: Iterable[StoredPolicy]) -> None:
        self._by_place: dict[Place, list[StoredPolicy]] = defaultdict(list)
        self._by_team: dict[str | None, list[StoredPolicy]] = defaultdict(list)
        self._by_label: dict[tuple[str | None, str | None], list[StoredPolicy]] = defaultdict(list)
        self._patterns: list[_Pattern] = []
        self._known: dict[Place, tuple[list[StoredPolicy], list[_Pattern]]] = {}
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

    def _around(self, place: Place) -> tuple[list[StoredPolicy], list[_Pattern]]:
        """Return the policies of a namespace and of all around it, and the patterns that can fit tables in it."""
        outer = [place[:levels] for levels in range(len(place) + 1)]
        address = ".".join(place) + "."
        fitting = [each for each in self._patterns if each.can_fit(address)]
        return [policy for each in outer for policy in self._by_place.get(each, ())], fitting


def _place(policy: StoredPolicy) -> Place:
    """Return catalog and namespace levels of a scope; nothing for the fleet, which is around all of them."""
    scope = policy.scope
    return () if scope.catalog is None else (scope.catalog, *(scope.namespace or ()))
