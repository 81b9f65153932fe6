"""What callers see of a record that was pruned, and that its totals do not change."""

from engine.domain.fleet.retention import NEWEST_RUNS
from tests.integration.api.conftest import Api
from tests.support.databases import FreshDatabase

OLD = "'2020-02-01T00\\:00\\:00.000000Z'"
RUN = "/v1/runs/run_01jd2m6v8n4q0x7y3k5r9t1wbz"


async def test_lists_say_since_when_they_are_complete_and_totals_count_pruned_runs(
    api: Api, table_id: str, sqlite_url: str
) -> None:
    """The first run succeeds, the others find nothing to do: one of these is more than is kept."""
    ids = [(await api.rewrite(table_id)).id for _ in range(NEWEST_RUNS + 2)]
    assert (await api.get("/v1/runs"))["retained_since"] is None
    totals = await ended_runs(api)
    FreshDatabase(url=sqlite_url).execute(f"UPDATE runs SET finished_at = {OLD}")
    assert await api.container.coordinator.prune_record() == 0, "entries of the outbox wait for these runs"
    await api.container.coordinator.relay()
    assert await api.container.coordinator.prune_record() == 1
    page = await api.get("/v1/runs", params={"page_size": 100})
    assert [run["id"] for run in page["items"]] == [ids[0], *ids[2:]][::-1]
    assert page["retained_since"].startswith("2020-02-01T00:00:00")
    assert await ended_runs(api) == totals
    assert sum(float(line.rpartition(" ")[2]) for line in totals) == len(ids)
    await api.get(f"/v1/runs/{ids[1]}", status=404)


async def test_a_pruned_run_is_not_found_and_the_answer_says_why(api: Api, sqlite_url: str) -> None:
    record = FreshDatabase(url=sqlite_url)
    assert "pruned" not in (await api.get(RUN, status=404))["detail"]
    record.execute(f"UPDATE retention SET pruned = 1, pruned_until = {OLD.replace('2020', '2030')}")
    assert "Runs that ended up to 2030-02-01 00:00:00 UTC were pruned" in (await api.get(RUN, status=404))["detail"]


async def test_the_audit_log_shows_from_where_on_it_is_kept(api: Api, sqlite_url: str) -> None:
    assert (await api.get("/v1/audit"))["anchor"] is None
    values = f"sequence = 7, hash = '{'a' * 64}', pruned_until = {OLD}"
    FreshDatabase(url=sqlite_url).execute(f"UPDATE audit_anchor SET {values}")
    anchor = (await api.get("/v1/audit"))["anchor"]
    assert (anchor["sequence"], anchor["hash"]) == (7, "a" * 64)
    assert anchor["retained_since"].startswith("2020-02-01T00:00:00")


async def ended_runs(api: Api) -> list[str]:
    """Return the counters of ended runs."""
    text = (await api.call("GET", "/metrics", status=200)).text
    return sorted(line for line in text.splitlines() if line.startswith("packhouse_runs_ended_total"))
