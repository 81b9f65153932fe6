"""The index of scoped policies finds exactly what each scope says of itself."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.tables import TableRef
from engine.services.policy_index import PolicyIndex
from engine.stores.policy_coverage import strength

NAMES = st.text("ab.", min_size=1, max_size=3)
CATALOGS = st.sampled_from(["a", "b", "ab"])
NAMESPACES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
SCOPES = st.one_of(
    st.just(PolicyScope(PolicyScopeKind.FLEET)),
    CATALOGS.map(lambda name: PolicyScope(PolicyScopeKind.CATALOG, catalog=name)),
    st.builds(
        lambda catalog, levels: PolicyScope(PolicyScopeKind.NAMESPACE, catalog=catalog, namespace=levels),
        CATALOGS,
        NAMESPACES,
    ),
    st.text("ab.*?", min_size=1, max_size=8).map(lambda text: PolicyScope(PolicyScopeKind.PATTERN, pattern=text)),
)
REFS = st.builds(TableRef, CATALOGS, NAMESPACES, NAMES)


def policy(number: int, scope: PolicyScope) -> StoredPolicy:
    return StoredPolicy(PolicyDocument(), 1, datetime(2026, 11, 1, tzinfo=UTC), "key:admin", f"p{number}", scope)


@given(scopes=st.lists(SCOPES, max_size=12), refs=st.lists(REFS, min_size=1, max_size=4))
def test_exactly_the_covering_policies_are_found_weakest_first(scopes: list[PolicyScope], refs: list[TableRef]) -> None:
    policies = [policy(number, scope) for number, scope in enumerate(scopes)]
    index = PolicyIndex(policies)
    for ref in [*refs, *refs]:
        expected = sorted((each for each in policies if each.scope.covers(ref, "tbl_1")), key=strength)
        assert index.covering(ref, "tbl_1") == expected
