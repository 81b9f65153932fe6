"""A deployment of the last release is upgraded under live runs, and goes back: 0 runs lost, 0 doubled, 0 rows lost.

The steps are those of docs/how-to/upgrade.md, on real Postgres, Redis, Spark Connect and Iceberg tables. Writers
append, clients submit and follow runs all the time; each process of the new version starts beside those that it
replaces.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.embedded.redis import EmbeddedRedis
from tests.support.eventually import eventually
from tests.support.postgres_server import PostgresServer
from tests.support.settings import settings_of
from tests.support.world import Lake
from tests.upgrade.deployment import LAST, THIS, Deployment, Process, Version
from tests.upgrade.traffic import Traffic, new_lake, summary

pytestmark = [pytest.mark.deep, pytest.mark.timeout(1800)]

RUNS_BETWEEN = 1
"""Further runs that succeed between two steps: each mix of versions has work."""

UNKNOWN_FEATURE = "write.future-feature"

ENDS = {"succeeded", "skipped", "refused"}
"""Ends of runs without a fault; one state is of this version only."""

SUCCEED_SECONDS = 300


@pytest.fixture
def deployment(
    postgres_server: PostgresServer, mortal_redis: EmbeddedRedis, spark_url: str, tmp_path: Path
) -> Iterator[Deployment]:
    """An empty database that the last release has migrated; no run starts by itself."""
    postgres_server.execute("CREATE DATABASE rolling")
    url = postgres_server.url("rolling")
    settings = settings_of(
        tmp_path / "state", database_url=url, redis_url=mortal_redis.start(), spark_url=spark_url, watch=False
    )
    made = Deployment(tmp_path, settings)
    assert made.run(LAST, "migrate").stdout == f"the database is at schema {LAST.schema}\n"
    try:
        yield made
    finally:
        made.kill()
        postgres_server.execute("DROP DATABASE rolling WITH (FORCE)")


def started(deployment: Deployment, version: Version) -> dict[str, list[Process]]:
    """Start two apis, a coordinator and two workers, at once."""
    commands = ("api", "api", "coordinator", "worker", "worker")
    with ThreadPoolExecutor(len(commands)) as pool:
        found = list(pool.map(partial(deployment.start, version), commands))
    return {name: [each for each, of in zip(found, commands, strict=True) if of == name] for name in set(commands)}


def roll(traffic: Traffic, processes: dict[str, list[Process]], version: Version) -> None:
    """Replace all processes, one after the other: workers, coordinators, apis; wait for runs after each."""
    for command in ("worker", "coordinator", "api"):
        for number, old in enumerate(processes[command]):
            processes[command][number] = traffic.deployment.replace(old, version, command)
            traffic.wait_for_runs(RUNS_BETWEEN)


def refuse(traffic: Traffic) -> str:
    """Submit runs of a table with an unknown feature until one is refused; return its id. Then it is well again."""
    with traffic.lakes[-1].table.transaction() as change:
        change.set_properties({UNKNOWN_FEATURE: "on"})
    found: list[str] = []

    def is_refused() -> bool:
        found[:] = [run["id"] for run in traffic.runs() if run["state"] == "refused"]
        return bool(found)

    eventually(is_refused, within_seconds=SUCCEED_SECONDS)
    with traffic.lakes[-1].table.transaction() as change:
        change.remove_properties(UNKNOWN_FEATURE)
    return found[0]


def has_ended(run: Any) -> bool:
    """Return whether a run has ended; the last release does not know that one in a newer state has."""
    return run["is_terminal"] or run["state"] in ENDS


def groups_of(lake: Lake) -> Counter[tuple[str, str]]:
    """Count the commits of each file group of each run."""
    found: Counter[tuple[str, str]] = Counter()
    for summary_of in lake.replaces():
        found.update((summary_of["packhouse.run-id"], group) for group in summary_of["packhouse.groups"].split(","))
    return found


def check(traffic: Traffic) -> None:
    """Hold that each accepted run ended once, its commits are those of its tables, and no row and no event is lost."""
    runs = {run["id"]: run for run in traffic.runs()}
    assert set(traffic.accepted) <= set(runs)
    states = Counter(run["state"] for run in runs.values())
    assert set(states) <= ENDS, [summary(each) for each in runs.values()]
    assert states["succeeded"] > 10
    for run_id, run in runs.items():
        events = traffic.events(run_id)
        assert [each["sequence"] for each in events] == list(range(1, len(events) + 1))
        assert sum(each["to_state"] in ENDS for each in events) == 1, run
    for lake, table_id in zip(traffic.lakes, traffic.table_ids, strict=True):
        check_table(lake, [run for run in runs.values() if run["table_id"] == table_id])
    for sequences in traffic.followed.values():
        assert sequences == list(range(1, len(sequences) + 1))
    assert len(traffic.followed) > 3


def check_table(lake: Lake, runs: list[Any]) -> None:
    assert lake.ids() == list(range(lake.next_id))
    assert set(groups_of(lake).values()) <= {1}
    committed = {run_id for run_id, _ in groups_of(lake)}
    assert committed == {run["id"] for run in runs if run["state"] == "succeeded"}
    for run in runs:
        assert lake.snapshots_of(run["id"]) == {int(each) for each in run["result"]["snapshot_ids"]}
    assert {path for path in lake.stored_files() if "run_" in path} <= lake.reached()


def test_an_upgrade_and_the_way_back_under_live_runs_lose_and_double_nothing(
    deployment: Deployment, tmp_path: Path
) -> None:
    traffic = Traffic(deployment, [new_lake(tmp_path / name, name) for name in ("one", "two", "three")])
    processes = started(deployment, LAST)
    traffic.register()
    traffic.begin()
    try:
        traffic.wait_for_runs(RUNS_BETWEEN)
        not_migrated = deployment.run(THIS, "api")
        migrated = deployment.run(THIS, "migrate")
        assert migrated.stdout == f"the database is at schema {THIS.schema}\n", migrated.stderr
        traffic.wait_for_runs(RUNS_BETWEEN)
        roll(traffic, processes, THIS)
        with_old_client = deployment.last_client(traffic.table_ids[0])
        refused_run = refuse(traffic)
        roll(traffic, processes, LAST)
    finally:
        traffic.end()
    eventually(lambda: all(has_ended(run) for run in traffic.runs()), within_seconds=SUCCEED_SECONDS)
    check(traffic)
    assert (not_migrated.returncode, not_migrated.stdout) == (1, "")
    both = f"the database is at schema {LAST.schema}, this version needs schema {THIS.schema}"
    assert f"{both}: run `packhouse-server migrate` of this version" in not_migrated.stderr
    assert traffic.ask("GET", f"/v1/runs/{refused_run}")["state"] == "refused"
    refusal = with_old_client.pop("refused")
    assert refusal.startswith("an answer that this version can't read: Explanation")
    assert with_old_client == {"ended": True, "listed": True, "tables": 3}
