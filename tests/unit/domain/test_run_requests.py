"""Which requests are equal, what the fleet's limits leave to one run, and which pause is obeyed."""

from datetime import UTC, datetime

from pydantic import TypeAdapter

from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.limits import CatalogLimits, FleetLimits, Pauses
from engine.domain.ids import first_run_id
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation
from engine.domain.tables.predicates import PartitionPredicate
from engine.domain.tables.table import Pause

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
ADAPTER: TypeAdapter[PartitionPredicate] = TypeAdapter(PartitionPredicate)


def by_day(value: str) -> PartitionPredicate:
    return ADAPTER.validate_python({"column": "day", "op": "eq", "value": value})


def test_requests_are_equal_when_all_that_they_ask_for_is_and_they_have_no_nonce() -> None:
    same = [RunRequest(partitions=by_day("2026-11-01")) for _ in range(2)]
    assert same[0].key() == same[1].key()
    others = [
        RunRequest(),
        RunRequest(Operation.PURGE),
        RunRequest(force_full=True),
        RunRequest(force_full=True, every_file=True),
        RunRequest(partitions=by_day("2026-11-02")),
    ]
    assert len({request.key() for request in (same[0], *others)}) == 6
    assert len({RunRequest().key(nonce=nonce) for nonce in (None, "a", "b")}) == 3


def test_requests_and_limits_are_stored_without_what_is_not_set_and_read_back() -> None:
    assert RunRequest().document() == {}
    assert RunRequest(force_full=True).document() == {"force_full": True}
    limits = FleetLimits(parallel_runs=4, requests=7, catalogs={"lake": CatalogLimits(2, 400)})
    own = {"parallel_runs": 2, "bandwidth": 400}
    assert limits.document() == {"parallel_runs": 4, "requests": 7, "catalogs": {"lake": own}}
    assert FleetLimits.of(limits.document()) == limits
    assert FleetLimits().document() == {}


def test_shares_of_all_runs_together_are_the_limit_also_in_a_catalog_with_few_runs() -> None:
    catalogs = {"lake": CatalogLimits(bandwidth=400), "archive": CatalogLimits(requests=60)}
    limits = FleetLimits(parallel_runs=4, bandwidth=1000, requests=100, catalogs=catalogs)
    assert limits.share("other") == Budget(250, 25)
    assert limits.share("lake") == Budget(100, 25)
    assert limits.share("archive") == Budget(250, 15)
    assert FleetLimits(parallel_runs=4).share("lake") == Budget()
    limits = FleetLimits(parallel_runs=4, bandwidth=1000, catalogs={"lake": CatalogLimits(parallel_runs=1)})
    assert limits.share("lake") == Budget(250)


def test_the_share_of_a_catalogs_rate_is_by_the_runs_that_it_may_have() -> None:
    for of_fleet, of_catalog, share in ((4, 2, 200), (4, None, 100), (None, 2, 200), (2, 4, 200)):
        own = CatalogLimits(parallel_runs=of_catalog, bandwidth=400)
        found = FleetLimits(parallel_runs=of_fleet, catalogs={"lake": own}).share("lake")
        assert found == Budget(share), (of_fleet, of_catalog)


def test_a_run_obeys_the_stricter_of_its_own_limit_and_its_share() -> None:
    for own, share, held in ((None, None, None), (10, None, 10), (None, 5, 5), (10, 5, 5), (3, 5, 3)):
        assert Budget(own, own).at_most(Budget(share, share)) == Budget(held, held)


def test_the_pause_that_stops_is_obeyed_before_the_one_that_drains() -> None:
    drains, stops = Pause(NOON, "a", "x", stops=False), Pause(NOON, "b", "y", stops=True)
    assert Pauses(fleet=drains, table=stops).present is stops
    assert Pauses(fleet=drains, table=drains).present is drains
    assert Pauses().present is None


def test_ids_of_an_instant_begin_with_the_smallest_one() -> None:
    assert first_run_id(NOON) < first_run_id(NOON.replace(second=1))
    assert first_run_id(datetime(1900, 1, 1, tzinfo=UTC)) == "run_" + "0" * 26
    assert first_run_id(datetime.max.replace(tzinfo=UTC)) > first_run_id(NOON)
