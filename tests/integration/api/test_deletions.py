"""Policies that delete more than before are stored only with an acknowledgement of what they delete (F44)."""

from typing import Any

import pytest

from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api
from tests.support.moved_clock import MovedClock
from tests.support.world import Lake

EXPIRY = {"older_than": "30m", "keep_last": 1, "delete_files": True}
DELETING = {"maintenance": {"expire_snapshots": EXPIRY}}
FIRST = {"If-None-Match": "*"}
FLEET = {"name": "fleet", "scope": {"kind": "fleet"}}


@pytest.fixture
async def own(api: Api, table_id: str) -> str:
    """Return the path of the policy of a table of which an expiry would remove the files that a rewrite replaced."""
    await api.rewrite(table_id)
    await (await MovedClock.of(api.container.database)).pass_by(hours=1)
    return f"/v1/tables/{table_id}/policy"


async def versions(api: Api, path: str) -> int:
    answer = await api.client.get(f"{path}/versions")
    return len(answer.json()["items"]) if answer.status_code == 200 else 0


async def refused(api: Api, method: str, path: str, **arguments: Any) -> Any:
    """Send a change that deletes more; return what its refusal tells."""
    problem = (await api.call(method, path, status=428, **arguments)).json()
    assert problem["code"] == "acknowledgement_required"
    assert "nothing was stored" in problem["detail"]
    return problem["details"]


async def test_f44_a_policy_that_deletes_is_refused_until_its_preview_is_acknowledged(
    api: Api, own: str, lake: Lake, table_id: str
) -> None:
    """F44: a saved policy with `delete_files` removed 66 snapshots and 189 files; nothing told its author."""
    details = await refused(api, "PUT", own, json=DELETING, headers=FIRST)
    assert await versions(api, own) == 0
    found = details["deletions"]
    (table,) = found["by_table"]
    assert (table["id"], table["address"]) == (table_id, "lake.lake.events")
    assert table["settings"] == ["maintenance.expire_snapshots"]
    assert found["complete"] is True
    assert found["snapshots"] == len(lake.table.snapshots()) - 1
    assert found["files"] > 12  # the data files that the rewrite replaced, with their metadata
    assert found["bytes"] > 0
    assert table["removed_until"] is not None
    stored = await api.call(
        "PUT", own, status=201, json=DELETING, headers=FIRST, params={"acknowledge": details["acknowledge"]}
    )
    assert stored.json()["version"] == 1
    entry = next(each for each in await api.items("/v1/audit") if each["action"] == "deletion.acknowledge")
    assert entry["after"] == {"tables": 1, **{name: found[name] for name in ("snapshots", "files", "bytes")}}


async def test_f44_a_rule_that_deletes_nothing_yet_is_acknowledged_for_what_it_will_delete(api: Api, own: str) -> None:
    """F44: its author was asked to acknowledge "0 snapshots and 0 files (0 B)", and not told why."""
    later = {"maintenance": {"expire_snapshots": EXPIRY | {"older_than": "30d"}}}
    problem = (await api.call("PUT", own, status=428, json=later, headers=FIRST)).json()
    assert "would delete nothing of lake.lake.events now, and more as history gets older" in problem["detail"]


async def test_f44_the_dry_run_shows_the_same_and_its_token_serves(api: Api, own: str) -> None:
    preview = await api.post(f"{own}/preview", {"change": "replace", "policy": DELETING}, status=200)
    token = preview["deletions"].pop("acknowledge")
    assert preview["deletions"] == (await refused(api, "PUT", own, json=DELETING, headers=FIRST))["deletions"]
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST, params={"acknowledge": token})
    narrower = {"maintenance": {"expire_snapshots": EXPIRY | {"keep_last": 5}}}
    shown = await api.post(f"{own}/preview", {"change": "replace", "policy": narrower}, status=200)
    assert shown["deletions"] is None
    await api.call("PUT", own, status=200, json=narrower, headers={"If-Match": '"1"'})


@pytest.mark.usefixtures("own")
async def test_f44_every_way_to_a_policy_that_deletes_more_is_refused(api: Api, table_id: str) -> None:
    """F44: create, replace, restore, delete, a preset, and a label that brings a policy."""
    await refused(api, "POST", "/v1/policies", json=FLEET | {"policy": DELETING})
    await refused(api, "POST", "/v1/policies", json=FLEET | {"policy": {"preset": "upsolver"}})
    assert await versions(api, "/v1/policies/fleet") == 0
    await api.post("/v1/policies", FLEET | {"policy": DELETING}, status=201)
    own, kept = f"/v1/tables/{table_id}/policy", {"maintenance": {"expire_snapshots": "off"}}
    await api.call("PUT", own, status=201, json=kept, headers=FIRST)  # deletes less
    await refused(api, "DELETE", own, headers={"If-Match": '"1"'})
    await refused(api, "PUT", own, json={}, headers={"If-Match": '"1"'})
    off = {"maintenance": {"expire_snapshots": "off"}}
    await api.call("PUT", "/v1/policies/fleet", status=200, json=off, headers={"If-Match": '"1"'})
    await api.call("DELETE", own, status=204, headers={"If-Match": '"1"'})
    await refused(api, "PUT", "/v1/policies/fleet", json=DELETING, headers={"If-Match": '"2"'})
    await refused(api, "POST", "/v1/policies/fleet/restore", json={"version": 1}, headers={"If-Match": '"2"'})
    await api.call("DELETE", "/v1/policies/fleet", status=204, headers={"If-Match": '"2"'})
    gold = {"name": "gold", "scope": {"kind": "label", "key": "tier", "value": "gold"}, "policy": DELETING}
    await api.post("/v1/policies", gold, status=201)  # covers no table yet
    await refused(api, "PATCH", f"/v1/tables/{table_id}", json={"labels": {"tier": "gold"}})
    assert (await api.get(f"/v1/tables/{table_id}"))["labels"] == {}
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"labels": {"tier": "gold"}})


async def test_a_token_is_good_for_the_same_change_by_the_same_caller_over_the_same_version(api: Api, own: str) -> None:
    token = (await refused(api, "PUT", own, json=DELETING, headers=FIRST))["acknowledge"]
    wider = {"maintenance": {"expire_snapshots": EXPIRY | {"older_than": "1m"}}}
    for body, params in ((wider, {"acknowledge": token}), (DELETING, {"acknowledge": f"{token}x"})):
        problem = (await api.call("PUT", own, status=422, json=body, headers=FIRST, params=params)).json()
        assert problem["errors"][0]["pointer"] == "query:acknowledge"
    await api.call("PUT", own, status=201, json={"priority": "low"}, headers=FIRST)
    now = {"If-Match": '"1"'}
    await api.call("PUT", own, status=422, json=DELETING, headers=now, params={"acknowledge": token})
    key = (await api.post("/v1/keys", {"name": "other", "role": "admin"}, status=201))["secret"]
    token = (await refused(api, "PUT", own, json=DELETING, headers=now))["acknowledge"]
    other = await api.with_key(key).put(own, json=DELETING, headers=now, params={"acknowledge": token})
    assert other.status_code == 422, other.text
    assert await versions(api, own) == 1


async def test_f44_what_has_grown_since_its_preview_is_not_deleted_by_its_token(api: Api, own: str, lake: Lake) -> None:
    token = (await refused(api, "PUT", own, json=DELETING, headers=FIRST))["acknowledge"]
    for _ in range(4):
        lake.append(day="2026-11-09")
    await (await MovedClock.of(api.container.database)).pass_by(hours=2)
    problem = (
        await api.call("PUT", own, status=409, json=DELETING, headers=FIRST, params={"acknowledge": token})
    ).json()
    assert problem["code"] == "effects_changed"
    assert await versions(api, own) == 0
    token = problem["details"]["acknowledge"]
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST, params={"acknowledge": token})


async def test_an_amount_that_is_not_known_is_never_shown_as_none(api: Api, own: str) -> None:
    orphans = {"maintenance": {"remove_orphans": {"older_than": "3d"}}}
    problem = (await api.call("PUT", own, status=428, json=orphans, headers=FIRST)).json()
    assert "would delete an unknown amount of lake.lake.events" in problem["detail"]
    found = problem["details"]["deletions"]
    assert [found[name] for name in ("snapshots", "files", "bytes", "complete")] == [None, None, None, False]
    assert [found["by_table"][0][name] for name in ("snapshots", "files", "bytes", "complete")] == [
        None,
        None,
        None,
        False,
    ]


async def test_f44_a_requested_deletion_is_listed_shown_and_undone(api: Api, own: str, table_id: str) -> None:
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST)
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "expire_snapshots"}, status=202)
    assert run["waiting_for"] == "grace"
    (listed,) = (await api.get("/v1/deletions", params={"state": "pending"}))["items"]
    assert listed == await api.get(f"/v1/deletions/{run['id']}")
    assert (listed["state"], listed["table"]) == ("pending", "lake.lake.events")
    assert listed["bounds"] == {"older_than": 1800, "keep_last": 1, "delete_files": True}
    assert "snapshots" in listed["summary"]
    assert listed["starts_at"] == listed["undo_until"] == run["not_before"]
    undone = await api.post(f"/v1/deletions/{run['id']}/undo", status=202)
    assert (undone["state"], undone["undo_until"], undone["ended_by"]) == ("undone", None, "key:admin")
    assert (await api.get("/v1/deletions", params={"state": "pending,running"}))["items"] == []
    assert (await api.get(own))["policy"]["maintenance"]["expire_snapshots"] != "off"  # nobody asked for it again
    await api.post(f"/v1/deletions/{run['id']}/undo", status=409)
    rewrite = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    await api.get(f"/v1/deletions/{rewrite['id']}", status=404)
    assert "deletion.undo" in {entry["action"] for entry in await api.items("/v1/audit")}


async def test_f43_a_quarantine_of_seconds_is_an_admins_alone(api: Api, table_id: str) -> None:
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "red"})
    owner = await as_caller(api, "owner", teams=["red"])
    body = {"maintenance": {"remove_orphans": {"quarantine": "1s"}}}
    path, change = f"/v1/tables/{table_id}/policy", {"change": "replace", "policy": body}
    written = await owner.put(path, json=body, headers=FIRST)
    previewed = await owner.post(f"{path}/preview", json=change)
    for answer, field in ((written, ""), (previewed, "/policy")):
        assert answer.status_code == 422, answer.text
        (problem,) = answer.json()["errors"]
        assert (problem["pointer"], problem["value"]) == (f"{field}/maintenance/remove_orphans/quarantine", "1s")
    assert (await api.post(f"{path}/preview", change, status=200))["deletions"] is not None


async def test_f44_a_run_that_deletes_is_refused_until_its_preview_is_acknowledged(
    api: Api, own: str, table_id: str
) -> None:
    """F44: `POST /v1/runs` with `grace: 0s` deleted 189 files at once; nothing told its caller how many."""
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST)
    body = {"table_id": table_id, "operation": "expire_snapshots"}
    details = await refused(api, "POST", "/v1/runs", json=body)
    assert await api.items("/v1/runs", operation="expire_snapshots") == []
    found = details["deletions"]
    assert (found["complete"], found["by_table"][0]["settings"]) == (True, ["maintenance.expire_snapshots"])
    assert min(found[name] for name in ("snapshots", "files", "bytes")) > 0
    plan = await api.post("/v1/runs/preview", body, status=200)
    token = plan["deletions"].pop("acknowledge")
    assert plan["deletions"] == found
    other = await api.client.post("/v1/runs", json=body | {"grace": "0s"}, params={"acknowledge": token})
    assert (other.status_code, other.json()["errors"][0]["pointer"]) == (422, "query:acknowledge")
    for status in (202, 200):  # a double click is one run
        answer = await api.client.post("/v1/runs", json=body, params={"acknowledge": token})
        assert answer.status_code == status, answer.text
    assert answer.json()["waiting_for"] == "grace"
    audited = [each for each in await api.items("/v1/audit") if each["action"] == "deletion.acknowledge"]
    assert audited[0]["object"] == answer.json()["id"]
    assert audited[0]["after"]["files"] == found["files"]


async def test_a_rewrite_and_a_purge_need_no_acknowledgement(api: Api, table_id: str) -> None:
    """A purge quotes the hash of its dry run and the table's address."""
    rewrite = {"table_id": table_id, "operation": "rewrite", "every_file": True}
    assert (await api.post("/v1/runs/preview", rewrite, status=200)).get("deletions") is None
    assert (await api.client.post("/v1/runs", json=rewrite)).status_code == 202
    purge = {"table_id": table_id, "operation": "purge"}
    plan = await api.post("/v1/runs/preview", purge, status=200)
    confirmed = purge | {"plan_hash": plan["details"]["plan_hash"], "confirm": "lake.lake.events"}
    assert (await api.client.post("/v1/runs", json=confirmed)).status_code == 202


@pytest.mark.usefixtures("own")
async def test_f44_a_table_that_policies_delete_from_is_not_registered_without_an_acknowledgement(
    api: Api, table_id: str
) -> None:
    """F44: a registered table came under the policies of its catalog, which deleted its history a day later."""
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    await api.post("/v1/policies", FLEET | {"policy": DELETING}, status=201)
    body = {"catalog": "lake", "namespace": ["lake"], "name": "events"}
    details = await refused(api, "POST", "/v1/tables", json=body)
    found = details["deletions"]
    assert (found["table_count"], found["complete"], found["by_table"][0]["id"]) == (1, True, "")
    assert found["files"] > 12
    many = {"pattern": "lake.*"}
    assert (await refused(api, "POST", "/v1/catalogs/lake/register", json=many))["deletions"] == found
    preview = await api.post("/v1/catalogs/lake/register/preview", many, status=200)
    token = preview["deletions"].pop("acknowledge")
    assert (preview["deletions"], preview["counts"]) == (found, {"would_register": 1})
    assert await api.items("/v1/tables") == []
    answer = await api.client.post("/v1/catalogs/lake/register", json=many, params={"acknowledge": token})
    assert answer.json()["counts"] == {"registered": 1}, answer.text
    (table,) = await api.items("/v1/tables")
    audited = [each["object"] for each in await api.items("/v1/audit") if each["action"] == "deletion.acknowledge"]
    assert table["id"] in audited
    await api.call("DELETE", f"/v1/tables/{table['id']}", status=204)
    params = {"acknowledge": (await refused(api, "POST", "/v1/tables", json=body))["acknowledge"]}
    await api.call("POST", "/v1/tables", status=201, json=body, params=params)


async def test_f44_a_deletion_above_its_bound_shows_why_it_waits_and_is_acknowledged(
    api: Api, own: str, table_id: str, lake: Lake
) -> None:
    await api.call("PUT", own, status=201, json=DELETING, headers=FIRST)
    body = {"table_id": table_id, "operation": "expire_snapshots"}
    (snapshots,) = {(await refused(api, "POST", "/v1/runs", json=body))["deletions"]["snapshots"]}
    bound = f"up_to:bytes=1GB,files=900,snapshots={snapshots}"
    run = (await api.client.post("/v1/runs", json=body, params={"acknowledge": bound})).json()
    path = f"/v1/deletions/{run['id']}"
    await api.post(f"{path}/acknowledge", status=409)  # it waits for its grace only
    lake.append(day="2026-11-09")
    lake.append(day="2026-11-09")
    await (await MovedClock.of(api.container.database)).pass_by(hours=2)
    await api.container.worker.advance(run["id"])
    found = await api.get(path)
    assert (found["state"], found["waiting_for"], found["undo_until"]) == ("pending", "acknowledgement", None)
    why = found["acknowledgement"]
    assert (why["exceeded"], why["up_to"]["snapshots"], why["acknowledged_by"]) == (["snapshots"], snapshots, None)
    assert why["amounts"]["snapshots"] == snapshots + 2
    reader = await as_caller(api, "operator")
    assert (await reader.post(f"{path}/acknowledge")).status_code == 403
    found = await api.post(f"{path}/acknowledge", status=202)
    assert (found["waiting_for"], found["acknowledgement"]["acknowledged_by"]) == (None, "key:admin")
    await api.container.worker.advance(run["id"])
    assert (await api.get(path))["result"]["expired_snapshots"] == snapshots + 2
