"""An api process that is killed while a page follows a run, a slow network, and lists of any length."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from engine.embedded.processes import free_loopback_port
from tests.console.conftest import OpenPage
from tests.support.eventually import eventually
from tests.support.postgres_server import PostgresServer
from tests.support.processes import child, environment_of
from tests.support.replicas import start_replicas

pytestmark = pytest.mark.deep


def test_a_page_follows_its_run_over_the_death_of_the_api_process(
    postgres_server: PostgresServer, tmp_path: Path, open_page: OpenPage
) -> None:
    """The run goes on meanwhile; each of its events is shown once afterwards."""
    with start_replicas(postgres_server, tmp_path, processes=1) as replicas, ThreadPoolExecutor(1) as worker:
        port = free_loopback_port()
        own, url = environment_of(replicas.settings, port=port), f"http://127.0.0.1:{port}"
        with replicas.client() as client:
            run = str(
                client.post("/v1/runs", json={"table_id": replicas.table_id, "operation": "rewrite"})
                .raise_for_status()
                .json()["id"]
            )
        with child(own, "api", "api", log=tmp_path / "killed.log") as server:
            eventually(lambda: is_up(url), within_seconds=60)
            watched = open_page(f"/runs/{run}", key=replicas.key, url=url)
            page = watched.page
            expect(page.get_by_text("Live.", exact=True)).to_be_visible()
            server.kill()
        expect(page.get_by_text("Live updates interrupted since")).to_be_visible()
        ended = worker.submit(replicas.advance, run).result(timeout=60)
        assert ended.is_terminal
        with child(own, "api", "api", log=tmp_path / "restarted.log"):
            expect(page.get_by_text("this page is complete")).to_be_visible(timeout=60_000)
            with replicas.client() as client:
                events = client.get(f"/v1/runs/{run}/events").json()["items"]
            numbers = page.get_by_role("table", name="Events").locator("tbody tr td:first-child").all_inner_texts()
            assert sorted(map(int, numbers)) == [event["sequence"] for event in events]
            page.close()
        watched.problems.clear()  # refused connections are errors of their own in the browser's log


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=1).is_success
    except httpx.TransportError:
        return False


def test_a_page_holds_its_shape_on_a_slow_network(open_page: OpenPage) -> None:
    """As on 3G: placeholders at once, then the list, without content that moves under the pointer."""
    watched = open_page("/formats").settle()
    page = watched.page
    tools = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 300, "downloadThroughput": 200_000, "uploadThroughput": 90_000}
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", slow)
    page.evaluate(
        "window.shift = 0; new PerformanceObserver((list) => {"
        " for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value; })"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    page.get_by_role("link", name="Tables", exact=True).click()
    expect(page.get_by_role("link", name="lake.shop.orders")).to_be_visible()
    assert page.evaluate("window.shift") < 0.1  # what the Web Vitals call good
    tools.send("Network.disable")
