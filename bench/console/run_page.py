"""The page of a run that stays open: its event stream is made in the browser and gives two updates a second.

The api sends at most one a second.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from playwright.sync_api import Page, Route

from bench.console.pages import Console, verdict

GOAL_MB: Final = 20
_UPDATES_BEFORE: Final = 20
_STREAM: Final = """
(() => {
  const real = window.fetch;
  window.fetch = (request, init) => {
    const url = typeof request === 'string' ? request : request.url;
    if (!/\\/events$/.test(url)) return real(request, init);
    let moved = 0;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        moved += 40e6;
        const progress = { groups_total: 400, groups_finished: Math.floor(moved / 1e9), bytes_total: 400e9,
          bytes_finished: moved, bytes_per_second: 80e6 + Math.random() * 1e6, budget_bytes_per_second: 100e6,
          eta_seconds: 1000, throttled_seconds: 1 };
        controller.enqueue(new TextEncoder().encode(`event: progress\\ndata: ${JSON.stringify(progress)}\\n\\n`));
        window.updates = (window.updates ?? 0) + 1;
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  };
})()
"""


def memory(console: Console, *, minutes: float) -> Iterator[dict[str, Any]]:
    """Leave the page of a run open, and compare its heap after garbage collections."""
    with console.client() as api:
        run = api.get("/v1/runs", params={"page_size": 1}).json()["items"][0]["id"]
    page = console.page()
    page.add_init_script(_STREAM)
    page.route(f"**/v1/runs/{run}", _as_live)
    page.goto(f"{console.url}/console/runs/{run}")
    while (page.evaluate("window.updates ?? 0")) < _UPDATES_BEFORE:
        page.wait_for_timeout(500)
    before, updates = _heap(page), page.evaluate("window.updates")
    page.wait_for_timeout(minutes * 60_000)
    after = _heap(page)
    shown = page.evaluate("window.updates") - updates
    page.unroute_all(behavior="wait")
    page.context.close()
    more = (after - before) / 1e6
    figures = {"minutes": minutes, "updates": shown, "MB more": more, "MB": after / 1e6}
    yield {"what": "run page", **figures, "goal MB": GOAL_MB, "memory": verdict(held=more < GOAL_MB)}


def _as_live(route: Route) -> None:
    answer = route.fetch()
    run = answer.json() | {"state": "rewriting", "is_terminal": False, "finished_at": None}
    route.fulfill(response=answer, body=json.dumps(run))


def _heap(page: Page) -> float:
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.enable")
    tools.send("HeapProfiler.collectGarbage")
    tools.send("Performance.enable")
    metrics = {metric["name"]: metric["value"] for metric in tools.send("Performance.getMetrics")["metrics"]}
    tools.detach()
    return float(metrics["JSHeapUsedSize"])
