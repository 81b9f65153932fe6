"""Webhooks over HTTP and by command, with the coordinator's own sender."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.settings.model import Settings
from tests.integration.api.conftest import Api, Command
from tests.support.eventually import until
from tests.support.receivers import Receiver, receiver
from tests.support.settings import settings_of


@pytest.fixture
def settings(sqlite_url: str, redis_url: str, tmp_path: Path) -> Settings:
    return settings_of(tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, webhook_allow="127.0.0.1")


@pytest.fixture
def got() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


async def test_a_webhook_by_command_has_a_format_that_stays(packhouse: Command, got: Receiver) -> None:
    made = await packhouse.json("webhooks", "create", "lineage", got.url, "--format", "openlineage")
    assert (made["format"], (await packhouse.json("webhooks", "disable", "lineage"))["format"]) == ("openlineage",) * 2
    assert (await packhouse.json("webhooks", "test", "lineage"))["ok"]
    assert json.loads(got.requests[0][1])["eventType"] == "OTHER"
    refused = await packhouse(
        "webhooks", "create", "other", got.url, "--format", "openlineage", "--event", "table.frozen"
    )
    assert (refused.returncode, "events: they have no meaning in OpenLineage" in refused.stderr) == (2, True)


async def test_a_webhook_by_command_gets_the_event_of_a_pause_with_its_secret_shown_once(
    api: Api, packhouse: Command, got: Receiver, table_id: str
) -> None:
    made = await packhouse.json("webhooks", "create", "on-call", got.url, "--event", "table.paused")
    assert made["secret"].startswith("whsec_")
    assert (await packhouse.json("webhooks", "test", "on-call")) == {"ok": True, "status": 204, "problem": None}
    await packhouse.json("tables", "pause", table_id, "--reason", "a load")
    sending = api.container.coordinator._webhooks
    assert sending is not None
    await sending.lead_webhooks()
    await sending.send_events()
    await until(lambda: not sending._sending)
    test, paused = got.events
    assert test.get_type() == "io.packhouse.webhook.test.v1"
    assert (paused.get_type(), paused.get_data()["by"]) == ("io.packhouse.table.paused.v1", "key:admin")
    listed = await packhouse("webhooks", "deliveries", "on-call")
    assert "table.paused" in listed.stdout
    assert "delivered" in listed.stdout
    await packhouse.json("webhooks", "repeat", "on-call", "--event", paused.get_id())
    await sending.send_events()
    await until(lambda: not sending._sending)
    assert got.ids[-1] == paused.get_id()
    assert (await packhouse.json("webhooks", "disable", made["id"]))["enabled"] is False
    assert (await packhouse.json("webhooks", "enable", "on-call"))["enabled"] is True
    rotated = await packhouse.json("webhooks", "rotate", "on-call")
    assert rotated["secret"] not in {made["secret"], (await packhouse("webhooks", "get", "on-call")).stdout}
    assert (await packhouse("webhooks", "delete", "on-call")).returncode == 0
    assert (await packhouse("webhooks", "get", "on-call")).returncode == 4
    audited = (await api.get("/v1/audit", params={"object": made["id"]}))["items"]
    assert [each["action"] for each in audited][::-1] == [
        "webhook.create",
        "webhook.repeat",
        "webhook.replace",
        "webhook.replace",
        "webhook.rotate",
        "webhook.delete",
    ]
    assert "/hook" not in str(audited)
    assert made["secret"] not in str(audited)


async def test_a_receiver_that_does_not_answer_is_named_by_the_test(packhouse: Command) -> None:
    with receiver() as gone:
        url = gone.url
    await packhouse.json("webhooks", "create", "gone", url)
    done = await packhouse("webhooks", "test", "gone")
    assert done.returncode == 1
    assert "did not answer: no connection" in done.stdout


async def test_wrong_input_names_the_field_and_the_remedy(api: Api, packhouse: Command, got: Receiver) -> None:
    body = {"name": "on-call", "url": "http://169.254.169.254/latest/", "teams": ["sales"]}
    refused = await api.post("/v1/webhooks", body, status=422)
    (problem,) = refused["errors"]
    assert problem["pointer"] == "/url"
    assert "PACKHOUSE_WEBHOOK_ALLOW lists other receivers" in problem["message"]
    unknown = await api.post("/v1/webhooks", body | {"url": got.url, "events": ["run.finished"]}, status=422)
    assert unknown["errors"][0]["pointer"] == "/events/0"
    made = await api.post("/v1/webhooks", body | {"url": got.url}, status=201)
    path = f"/v1/webhooks/{made['id']}"
    await api.call("PUT", path, json=body | {"url": got.url}, status=428)
    await api.call("PUT", path, json=body | {"url": got.url}, headers={"If-Match": '"9"'}, status=412)
    again = await api.post(f"{path}/repeat", {"since": "2026-01-01T00:00:00Z"}, status=200)
    assert (again["events"], again["continue_from"], again["since"] > "2026-01-02") == (0, None, True)
    assert (await packhouse("webhooks", "repeat", "on-call")).returncode == 2
    assert (await packhouse("webhooks", "get", "none")).returncode == 4
