"""All scoped policies in memory, to tell for each of very many tables which of them cover it.

Catalogs and namespaces are looked up, patterns are tried one by one behind a cheap look at their literal ends: time
grows with tables times patterns.
"""

from collections import defaultdict
from collections.abc import Iterable

from engine.domain.policies import PolicyScopeKind, StoredPolicy
from engine.domain.tables import TableRef
from engine.stores.policy_coverage import strength


class PolicyIndex:
    """Finds the policies of a table among those given; a table's own policy is not one of them."""

    def __init__(self, policies: Iterable[StoredPolicy]) -> None:
        self._by_place: dict[tuple[str, ...], list[StoredPolicy]] = defaultdict(list)
        self._patterns: list[tuple[str, str, StoredPolicy]] = []
        for policy in sorted(policies, key=strength):
            if policy.scope.kind is PolicyScopeKind.PATTERN:
                self._patterns.append((*_ends(policy.scope.pattern or ""), policy))
            else:
                self._by_place[_place(policy)].append(policy)

    def covering(self, ref: TableRef, table_id: str) -> list[StoredPolicy]:
        """Return the policies that cover a table, weakest first."""
        levels = (ref.catalog, *ref.namespace)
        places = [levels[:count] for count in range(len(levels) + 1)]
        found = [policy for place in places for policy in self._by_place.get(place, ())]
        if self._patterns:
            address = str(ref)
            found += [
                policy
                for start, end, policy in self._patterns
                if address.startswith(start) and address.endswith(end) and policy.scope.covers(ref, table_id)
            ]
        return found


def _place(policy: StoredPolicy) -> tuple[str, ...]:
    """Return catalog and namespace levels of a scope; nothing for the fleet, which is around all of them."""
    scope = policy.scope
    return () if scope.catalog is None else (scope.catalog, *(scope.namespace or ()))


def _ends(pattern: str) -> tuple[str, str]:
    """Return what stands before the first wildcard of a pattern and after its last."""
    start = min((at for at in (pattern.find("*"), pattern.find("?")) if at >= 0), default=len(pattern))
    end = max(pattern.rfind("*"), pattern.rfind("?"))
    return pattern[:start], pattern[end + 1 :]
