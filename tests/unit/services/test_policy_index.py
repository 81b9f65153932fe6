"""The index of scoped policies finds the covering ones, which make one effective policy in whatever order they come."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.policies import (
    EffectivePolicy,
    PolicyDocument,
    PolicyScope,
    PolicyScopeKind,
    StoredPolicy,
    TableTraits,
    effective_policy,
)
from engine.domain.tables.table import TableRef
from engine.services.policies.index import PolicyIndex
from engine.stores.policies.coverage import strength

NAMES = st.text("ab.", min_size=1, max_size=3)
CATALOGS = st.sampled_from(["a", "b", "ab"])
NAMESPACES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
TEAMS = st.sampled_from(["a", "b", "None"])
KEYS = st.sampled_from(["k", "l", "k=", '"', "%", "ä", "💧"])
VALUES = st.sampled_from(["", "v", "=v", "V", "%", "None"])
LABELS = st.builds(
    lambda key, value: PolicyScope(PolicyScopeKind.LABEL, label_key=key, label_value=value), KEYS, VALUES
)
SCOPES = st.one_of(
    st.just(PolicyScope(PolicyScopeKind.FLEET)),
    TEAMS.map(lambda team: PolicyScope(PolicyScopeKind.TEAM, team=team)),
    CATALOGS.map(lambda name: PolicyScope(PolicyScopeKind.CATALOG, catalog=name)),
    st.builds(
        lambda catalog, levels: PolicyScope(PolicyScopeKind.NAMESPACE, catalog=catalog, namespace=levels),
        CATALOGS,
        NAMESPACES,
    ),
    st.text("ab.*?", min_size=1, max_size=8).map(lambda text: PolicyScope(PolicyScopeKind.PATTERN, pattern=text)),
    LABELS,
    st.just(PolicyScope(PolicyScopeKind.TABLE, table_id="tbl_1")),
)
TABLES = st.builds(
    TableTraits,
    st.just("tbl_1"),
    st.builds(TableRef, CATALOGS, NAMESPACES, NAMES),
    st.none() | TEAMS,
    st.dictionaries(KEYS, VALUES, max_size=4),
)
ORDER = ["fleet", "team", "catalog", "namespace", "pattern", "label", "table"]
"""As the documentation has it, weakest first."""


def policy(number: int, scope: PolicyScope) -> StoredPolicy:
    written = {"limits": {"parallel_groups": number + 1}, "priority": "high"} if number % 3 else {"enabled": False}
    document = PolicyDocument.model_validate(written)
    return StoredPolicy(document, 1, datetime(2026, 11, 1, tzinfo=UTC), "key:admin", f"p{number}", scope)


@given(scopes=st.lists(SCOPES, max_size=12), tables=st.lists(TABLES, min_size=1, max_size=4))
def test_exactly_the_covering_policies_are_found_weakest_first(scopes: list[PolicyScope], tables: list[TableTraits]):
    policies = [policy(number, scope) for number, scope in enumerate(scopes) if scope.kind != "table"]
    index = PolicyIndex(policies)
    for table in [*tables, *tables]:
        expected = sorted((each for each in policies if each.scope.covers(table)), key=strength)
        assert index.covering(table) == expected


@given(scopes=st.lists(SCOPES, max_size=12), table=TABLES, random=st.randoms(use_true_random=False))
def test_the_effective_policy_is_that_of_the_reference_whatever_the_order(
    scopes: list[PolicyScope], table: TableTraits, random: Any
) -> None:
    policies = [policy(number, scope) for number, scope in enumerate(scopes)]
    expected = reference(policies, table)
    random.shuffle(policies)
    found: EffectivePolicy = effective_policy(
        table_properties={}, scoped=[each for each in policies if each.scope.covers(table)]
    )
    for setting, (value, origin) in expected.items():
        assert (found.values[setting], found.origins[setting]) == (value, origin)


def reference(policies: list[StoredPolicy], table: TableTraits) -> dict[str, tuple[Any, str]]:
    """Return each setting of these policies with its value and origin, found in the simplest way."""
    found: dict[str, tuple[Any, str]] = {}
    for kind in ORDER:
        for each in sorted((each for each in policies if each.scope.kind == kind), key=in_its_kind):
            if is_covered(each.scope, table):
                leaves = each.document.leaves()
                found |= {setting: (value, each.scope.origin(each.name)) for setting, value in leaves.items()}
    return found


def in_its_kind(each: StoredPolicy) -> tuple[int, str]:
    literal = [character for character in each.scope.pattern or "" if character not in "*?"]
    return len(each.scope.namespace or ()) + len(literal), each.name


def is_covered(scope: PolicyScope, table: TableTraits) -> bool:
    """Return whether a scope covers a table, asked in another way than the code does."""
    is_label = (scope.label_key, scope.label_value) in table.labels.items()
    return {
        "team": table.owner_team is not None and scope.team == table.owner_team,
        "label": is_label,
    }.get(scope.kind.value, scope.kind not in ("team", "label") and scope.covers(table))
