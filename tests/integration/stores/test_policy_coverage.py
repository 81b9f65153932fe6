"""Which policies cover a table, and which tables a policy covers."""

import pytest

from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind, TableTraits
from engine.domain.tables.table import FormatName, TableRef
from engine.stores.policies import coverage as policy_coverage
from tests.integration.stores.samples import LAKE, a_table
from tests.integration.stores.stores import Stores

OFF = PolicyDocument(enabled=False)
REFS = [
    TableRef("lake", ("shop",), "orders"),
    TableRef("lake", ("shop", "eu"), "orders"),
    TableRef("lake", ("shop", "eu"), "Orders"),
    TableRef("lake", ("shopping",), "orders"),
    TableRef("lake", ("sho%",), "or_ers"),
    TableRef("lake", ("a.b",), "c.d"),
    TableRef("Lake", ("shop",), "orders"),
    TableRef("pond", ("shop", "ü"), "größe"),
]
FLEET = PolicyScope(PolicyScopeKind.FLEET)


def catalog(name: str) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.CATALOG, catalog=name)


def namespace(*levels: str) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.NAMESPACE, catalog=levels[0], namespace=levels[1:])


def team(name: str) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.TEAM, team=name)


def label(key: str, value: str) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.LABEL, label_key=key, label_value=value)


def pattern(text: str) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.PATTERN, pattern=text)


SCOPES = [
    FLEET,
    catalog("lake"),
    catalog("nope"),
    namespace("lake", "shop"),
    namespace("lake", "shop", "eu"),
    namespace("lake", "sho%"),
    namespace("pond", "shop"),
    *map(
        pattern,
        ["*", "lake.*", "l*.orders", "*orders", "*.orders", "lake.shop.orders", "lake.sho_.orders", "lake.sho%.*"],
    ),
    *map(pattern, ["?ake.shop.*", "lake.a.b.*", "*.c.d", "*größe", "*.ü.*", "lake", "%", "lake.s*p.?rders", "*\\*"]),
]


HOSTILE = "a=b\"'%_\\ä💧{}"
TRAITS: dict[TableRef, tuple[str | None, dict[str, str]]] = {
    REFS[0]: ("growth", {"tier": "gold", HOSTILE: HOSTILE}),
    REFS[1]: ("Growth", {"tier": "Gold", "empty": ""}),
    REFS[2]: ("growth", {"tier": "silver", "%": "gold"}),
    REFS[3]: (None, {"tie": "rgold"}),
}
"""Teams and labels of some tables."""
SCOPES += [team("growth"), team("Growth"), team("growt_"), team("None"), label("tier", "gold"), label("tier", "Gold")]
SCOPES += [label("tier", "%"), label("%", "gold"), label("empty", ""), label("tier", ""), label(HOSTILE, HOSTILE)]


@pytest.fixture
async def ids(database: Stores) -> dict[str, TableRef]:
    """The tables, by id."""
    ids = {}
    for name in ("lake", "Lake", "pond"):
        await database.catalogs.insert(LAKE.__class__(name, LAKE.format, {}, 1, LAKE.created_at, LAKE.updated_at))
    for ref in REFS:
        made = a_table()
        owner, labels = TRAITS.get(ref, (None, {}))
        table = made.__class__(made.id, ref, made.uuid, made.location, owner, made.created_at, labels)
        await database.tables.insert(table)
        ids[table.id] = ref
    return ids


def traits(table_id: TableId, ref: TableRef) -> TableTraits:
    return TableTraits(table_id, ref, *TRAITS.get(ref, (None, {})))


async def test_sql_finds_exactly_the_tables_that_a_scope_covers(database: Stores, ids: dict[str, TableRef]) -> None:
    for scope in SCOPES:
        async with database.read() as work:
            found = [table.id async for page in work.policy_coverage.covered(scope) for table in page]
        assert found == [table_id for table_id, ref in ids.items() if scope.covers(traits(table_id, ref))], scope


async def test_covered_tables_come_in_pages_with_their_own_policies(
    database: Stores, ids: dict[str, TableRef], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy_coverage, "PAGE", 3)
    first = next(iter(ids))
    await database.policies.insert(first, PolicyScope(PolicyScopeKind.TABLE, table_id=first), OFF, "key:admin")
    async with database.read() as work:
        pages = [page async for page in work.policy_coverage.covered(FLEET)]
    assert [len(page) for page in pages] == [3, 3, 2]
    own = {table.id: table.own for page in pages for table in page}
    assert own == dict.fromkeys(ids) | {first: {"enabled": False}}


async def test_the_policies_of_a_table_come_weakest_first(database: Stores, ids: dict[str, TableRef]) -> None:
    table_id = next(each for each, ref in ids.items() if ref == REFS[1])
    scopes = {
        "z-fleet": FLEET,
        "zz-team": team("Growth"),
        "y-catalog": catalog("lake"),
        "x-outer": namespace("lake", "shop"),
        "w-inner": namespace("lake", "shop", "eu"),
        "v-short": pattern("*"),
        "b-long": pattern("*.orders"),
        "c-long": pattern("*.order?s".replace("?s", "s")),
        "a-gold": label("tier", "Gold"),
        "b-empty": label("empty", ""),
        table_id: PolicyScope(PolicyScopeKind.TABLE, table_id=table_id),
    }
    others = {
        "o4": team("growth"),
        "o5": label("tier", "gold"),
        "o6": label("tier", ""),
        "o7": label("empty", "Gold"),
        **{f"x{number}": label("tier", f"x{number}") for number in range(20)},
    } | {"o1": catalog("pond"), "o2": namespace("lake", "shopping"), "o3": pattern("*.Orders")}
    for name, scope in (scopes | others).items():
        await database.policies.insert(name, scope, OFF, "key:admin")
    found = await database.policy_coverage.covering(traits(table_id, REFS[1]))
    assert [each.name for each in found] == list(scopes)


async def test_the_catalogs_of_a_scope_are_told_with_their_formats(database: Stores, ids: dict[str, TableRef]) -> None:
    async with database.read() as work:
        of = work.policy_coverage.catalogs
        every = dict.fromkeys(("lake", "Lake", "pond"), FormatName.ICEBERG)
        assert await of(FLEET) == every
        assert set(await of(namespace("lake", "shop"))) == {"lake"}
        assert set(await of(pattern("pond.*"))) == {"pond"}
        assert set(await of(PolicyScope(PolicyScopeKind.TABLE, table_id=next(iter(ids))))) == {"lake"}


async def test_only_policies_of_labels_and_teams_that_tables_of_the_scope_have_are_around(
    database: Stores, ids: dict[str, TableRef]
) -> None:
    scopes = {"fleet": FLEET, "growth": team("growth"), "other": team("other"), "pond": catalog("pond")}
    scopes |= {"gold": label("tier", "gold"), "silver": label("tier", "silver"), "none": label("tier", "none")}
    for name, scope in scopes.items():
        await database.policies.insert(name, scope, OFF, "key:admin")
    around = {
        each: {policy.name for policy in await database.policy_coverage.around(each)}
        for each in (FLEET, team("growth"), label("tier", "gold"), label("tier", "none"), label(HOSTILE, HOSTILE))
    }
    assert around[FLEET] == {"fleet", "growth", "pond", "gold", "silver"}
    assert around[team("growth")] == {"fleet", "growth", "pond", "gold", "silver"}
    assert around[label("tier", "gold")] == around[label(HOSTILE, HOSTILE)] == {"fleet", "growth", "pond", "gold"}
    assert around[label("tier", "none")] == {"fleet", "pond"}
