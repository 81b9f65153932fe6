"""Upkeep of Paimon tables, expiry and orphans, in runs that are submitted over HTTP and advanced by a worker."""

import asyncio
from typing import Any

import pytest

from engine.domain.ids import RunId
from tests.integration.api.conftest import Api
from tests.integration.api.test_paimon import Paimon, paimon
from tests.support.moved_clock import MovedClock
from tests.support.paimon.expiries import files_of
from tests.support.paimon.orphans import place
from tests.upkeep.orphans import grow_old

__all__ = ["paimon"]

RULE = {"older_than": "30m", "keep_last": 1, "interval": "1h", "delete_files": True}


@pytest.fixture
async def clock(paimon: Paimon) -> MovedClock:
    """The record's clock, an hour ahead; the table has twelve snapshots and was compacted by its writer."""
    await asyncio.to_thread(paimon.lake.call, "compact", full=True, options={"write-only": "false"})
    clock = await MovedClock.of(paimon.api.container.database)
    await clock.pass_by(hours=1)
    return clock


async def submitted(paimon: Paimon, operation: str = "expire_snapshots", **more: Any) -> Any:
    return await paimon.submit(operation=operation, grace="0s", **more)


async def previewed(paimon: Paimon, operation: str = "expire_snapshots") -> Any:
    return await paimon.preview(operation=operation, grace="0s")


async def ended(api: Api, run_id: str) -> Any:
    for _ in range(4):
        await api.container.worker.advance(RunId(run_id))
        run = await api.get(f"/v1/runs/{run_id}")
        if run["is_terminal"]:
            return run
    raise AssertionError(run)


@pytest.mark.usefixtures("clock")
async def test_an_expiry_deletes_what_its_dry_run_showed(paimon: Paimon) -> None:
    await paimon.govern({"maintenance": {"expire_snapshots": RULE}})
    rows, before = paimon.lake.call("values"), files_of(paimon.lake)
    shown = await previewed(paimon)
    assert (shown["count"], files_of(paimon.lake)) == (12, before)
    removal = shown["details"]["removal"]
    assert removal["files"]["data"]["files"] == 24
    run = await ended(paimon.api, (await submitted(paimon))["id"])
    assert (run["state"], run["reason"]) == ("succeeded", "committed"), run
    assert run["result"]["expired_snapshots"] == 12
    assert run["result"]["deleted_files"] == removal["total"]["files"]
    assert all(each["ok"] for each in run["result"]["verifications"])
    assert {each["name"] for proof in run["result"]["verifications"] for each in proof["checks"]} == {
        "expired_are_gone",
        "others_are_kept",
        "deleted_are_unneeded",
    }
    listed = await paimon.api.call("GET", f"/v1/runs/{run['id']}/deleted-files", status=200)
    assert len(listed.text.strip().splitlines()) == 1 + removal["total"]["files"]
    gone = before - files_of(paimon.lake)
    assert len(gone) == removal["total"]["files"] + 12
    assert paimon.lake.call("values") == rows
    assert len(paimon.lake.call("history")["rows"]) == 1
    again = await ended(paimon.api, (await submitted(paimon))["id"])
    assert (again["state"], again["reason"]) == ("skipped", "nothing_to_do")


@pytest.mark.usefixtures("clock")
async def test_a_reader_that_a_signal_names_keeps_its_snapshot(paimon: Paimon) -> None:
    await paimon.govern({"maintenance": {"expire_snapshots": RULE}})
    signal = {"kind": "oldest_reader", "snapshot_id": "5"}
    await paimon.api.post("/v1/signals", {"table_id": paimon.table_id, "signal": signal}, status=202)
    run = await ended(paimon.api, (await submitted(paimon))["id"])
    assert run["result"]["expired_snapshots"] == 4
    assert run["plan"]["kept"]["reader"] == 8
    snapshots = (paimon.lake.folder / "snapshot").glob("snapshot-*")
    assert sorted(int(each.name.rpartition("-")[2]) for each in snapshots) == list(range(5, 14))


@pytest.mark.usefixtures("clock")
async def test_a_purge_needs_its_dry_run_and_leaves_the_newest_snapshot(paimon: Paimon) -> None:
    shown = await previewed(paimon, "purge")
    assert shown["count"] == 12
    named = {"plan_hash": shown["details"]["plan_hash"], "confirm": "lake.lake.events"}
    run = await ended(paimon.api, (await submitted(paimon, "purge", **named))["id"])
    assert (run["state"], run["result"]["expired_snapshots"]) == ("succeeded", 12)
    assert [each.name for each in (paimon.lake.folder / "snapshot").glob("snapshot-*")] == ["snapshot-13"]


@pytest.mark.usefixtures("clock")
async def test_an_expiry_is_due_after_its_interval(paimon: Paimon) -> None:
    await paimon.govern({"maintenance": {"expire_snapshots": RULE}})
    upkeep = {each["operation"]: each for each in (await paimon.view("upkeep"))["operations"]}
    assert upkeep["expire_snapshots"]["due"], upkeep["expire_snapshots"]
    assert "12 snapshots of 13 can expire" in str(upkeep["expire_snapshots"])


async def test_a_tag_past_its_time_goes_with_its_files(paimon: Paimon, clock: MovedClock) -> None:
    await asyncio.to_thread(paimon.lake.call, "create_tag", name="old", snapshot=2, seconds=60)
    await paimon.govern({"maintenance": {"expire_snapshots": RULE}})
    early = await previewed(paimon)
    assert (early["count"], early["details"]["expired_tags"]) == (12, [])
    await clock.pass_by(hours=12)
    shown = await previewed(paimon)
    assert (shown["count"], [each["name"] for each in shown["details"]["expired_tags"]]) == (13, ["old"])
    assert "1 tag whose time of retention is over can be removed" in shown["summary"]
    assert shown["details"]["removal"]["total"]["files"] > early["details"]["removal"]["total"]["files"]
    run = await ended(paimon.api, (await submitted(paimon))["id"])
    assert (run["state"], run["result"]["expired_snapshots"], run["result"]["expired_tags"]) == ("succeeded", 12, 1)
    assert run["result"]["deleted_files"] == shown["details"]["removal"]["total"]["files"]
    assert run["detail"].startswith("12 snapshots and 1 tag expired; ")
    assert len(paimon.lake.call("history")["rows"]) == 1


async def test_orphans_are_shown_by_a_dry_run_and_deleted_by_the_second_run(paimon: Paimon) -> None:
    place(paimon.lake.folder, "manifest/manifest-{}-0")
    files = files_of(paimon.lake)
    grow_old(paimon.lake.folder)
    setting = {"older_than": "1d", "quarantine": "0s", "interval": "1h"}
    await paimon.govern({"maintenance": {"remove_orphans": setting}})
    shown = await previewed(paimon, "remove_orphans")
    assert shown["details"]["removal"]["look"]["unreferenced"] == {"files": 1, "bytes": 6}
    assert files_of(paimon.lake) == files
    runs = [await ended(paimon.api, (await submitted(paimon, "remove_orphans"))["id"]) for _ in range(2)]
    assert [each["state"] for each in runs] == ["skipped", "succeeded"], runs
    assert runs[1]["result"]["deleted_files"] == 1
    assert len(files - files_of(paimon.lake)) == 1
