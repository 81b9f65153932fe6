"""`packhouse run`, `tables register`, `catalogs discover` and `deletions` ask for acknowledgements (F44)."""

import re
from pathlib import Path

import yaml

from tests.integration.api.conftest import Api, Command
from tests.integration.api.test_deletions import DELETING, FIRST, FLEET, own
from tests.support.moved_clock import MovedClock
from tests.support.terminal import Done
from tests.support.world import Lake

__all__ = ["own"]  # the fixture

ADDRESS = "lake.lake.events"
UP_TO = "bytes=1GB,files=900"


def token_of(refused: Done) -> str:
    """Return the token that a refused command names; it shows what would be deleted."""
    assert refused.returncode == 5, refused
    assert f"{ADDRESS} (maintenance.expire_snapshots): " in refused.stderr
    found = re.search(r"repeat the command with --acknowledge (\S+)", refused.stderr)
    assert found is not None, refused.stderr
    return found[1]


async def test_f44_a_run_that_deletes_is_submitted_with_the_token_that_its_refusal_or_its_dry_run_prints(
    packhouse: Command, api: Api, own: str
) -> None:
    """F44: `packhouse run --operation expire_snapshots` started a deletion that nothing had shown."""
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST)
    run = ("run", ADDRESS, "--operation", "expire_snapshots")
    token = token_of(await packhouse(*run))
    assert (await packhouse.json("deletions", "list"))["items"] == []
    dry = await packhouse(*run, "--dry-run")
    assert re.search(r"acknowledge it with --acknowledge \S{40,}\n", dry.stdout), dry.stdout
    made = await packhouse.json(*run, "--acknowledge", token)
    (listed,) = (await packhouse.json("deletions", "list"))["items"]
    assert (listed["id"], listed["state"]) == (made["id"], "pending")


async def test_f44_a_deletion_that_waits_is_acknowledged_by_a_command_that_its_run_names(
    packhouse: Command, api: Api, own: str, lake: Lake
) -> None:
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST)
    found = await packhouse.json("run", ADDRESS, "--operation", "expire_snapshots", "--dry-run")
    bound = f"up_to:{UP_TO},snapshots={found['count']}"
    run = await packhouse.json("run", ADDRESS, "--operation", "expire_snapshots", "--acknowledge", bound)
    early = await packhouse("deletions", "acknowledge", run["id"])
    assert (early.returncode, f"`packhouse deletions get {run['id']}`" in early.stderr) == (5, True), early.stderr
    lake.append(day="2026-11-09")
    lake.append(day="2026-11-09")
    await (await MovedClock.of(api.container.database)).pass_by(hours=2)
    await api.container.worker.advance(run["id"])
    shown = await packhouse("deletions", "get", run["id"])
    assert f"{found['count'] + 2}" in shown.stdout
    assert "acknowledgement" in (await packhouse("deletions", "list")).stdout
    acknowledged = await packhouse.json("deletions", "acknowledge", run["id"])
    assert acknowledged["acknowledgement"]["acknowledged_by"] == "key:admin"


async def test_f44_tables_are_registered_with_the_token_or_a_bound(
    packhouse: Command, api: Api, own: str, table_id: str, tmp_path: Path
) -> None:
    assert own
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    await api.post("/v1/policies", FLEET | {"policy": DELETING}, status=201)
    discover = ("catalogs", "discover", "lake", "--register")
    for command in (("tables", "register", ADDRESS), discover):
        token = token_of(await packhouse(*command))
        assert (await packhouse.json("tables", "list"))["items"] == []
        assert (await packhouse(*command, "--acknowledge", token)).returncode == 0
        await packhouse.json("tables", "delete", ADDRESS)
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "table.yaml").write_text(yaml.safe_dump({"kind": "table", "name": ADDRESS}))
    refused = await packhouse("apply", "-f", str(folder))
    assert (refused.returncode, "--acknowledge-up-to" in refused.stderr) == (5, True), refused
    applied = await packhouse("apply", "-f", str(folder), "--acknowledge-up-to", UP_TO)
    assert applied.returncode == 0, applied.stderr
    assert [each["name"] for each in (await packhouse.json("tables", "list"))["items"]] == ["events"]
