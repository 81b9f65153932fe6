"""B24: the console's first load, its list of 10,000 tables, and the memory of a run's page that is open for long.

Chromium runs on this machine against an api process with a record of 10,000 tables. `first load` is the sum of the
compressed bytes of the page, scripts and styles until the list of tables is shown, with an empty cache; `interactive`
the time from the start of the navigation until the first row can be clicked. `scroll` turns the wheel through the whole
list and takes the longest time between two frames. `run page` opens a run whose event stream gives two updates a
second, which is more than the api sends (one a second), and compares the heap after a garbage collection. There is no
peer: the goals are those of the design.

    python -m bench.console [--tables 10000] [--minutes 10] [--json console.json]

Goals: 350 kB, 1.5 s, no frame over 50 ms, less than 20 MB more in ten minutes.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import psycopg
from playwright.sync_api import Browser, Page, Route, sync_playwright

from bench.facts import machine_facts, print_table, write_json
from bench.record import fill
from bench.servers import api, shared_servers
from tests.support.chromium import launch

_LOADS: Final = 5
_UPDATES_BEFORE: Final = 20
_WATCHES: Final = """
    INSERT INTO watches (table_id, phase, next_at, interval_seconds, pointer, verdict)
    SELECT id, 0.5, now(), 600, 'none', 'not_due' FROM tables
"""
_SCROLL: Final = """
async () => {
  const view = document.querySelector('.rows');
  const frames = [];
  let last = performance.now(), going = true;
  const tick = (at) => { frames.push(at - last); last = at; if (going) requestAnimationFrame(tick); };
  requestAnimationFrame((at) => { last = at; requestAnimationFrame(tick); });
  let at = -1;
  while (view.scrollTop !== at) {
    at = view.scrollTop;
    for (let step = 0; step < 30; step++) { view.scrollTop += 120; await new Promise(requestAnimationFrame); }
    for (let wait = 0; wait < 40 && view.scrollTop === at; wait++) await new Promise((r) => setTimeout(r, 50));
  }
  going = false;
  const rows = document.querySelector('.rows table').getAttribute('aria-rowcount');
  const over50 = frames.filter((ms) => ms > 50).length;
  return { longest: Math.max(...frames.slice(2)), over50, frames: frames.length, rows };
}
"""
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-console-") as scratch, shared_servers(Path(scratch)) as shared:
        fill(shared.postgres, tables=given.tables, runs=1_000)
        with psycopg.connect(shared.postgres, autocommit=True) as record:
            record.execute(_WATCHES)
            record.execute("VACUUM ANALYZE")
        with api(shared, Path(scratch) / "api.log") as (port, key), sync_playwright() as playwright:
            url = f"http://127.0.0.1:{port}"
            browser = launch(playwright)
            rows = [_first_load(browser, url, key)]
            print_table(rows[-1:])
            rows.append(_scroll(browser, url, key))
            print_table(rows[-1:])
            rows.append(_memory(browser, url, key, given.minutes))
            print_table(rows[-1:])
            browser.close()
    write_json(given.json, {"benchmark": "B24", "machine": machine_facts(), "rows": rows})


def _page(browser: Browser, key: str) -> Page:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    session = json.dumps(json.dumps({"token": key, "kind": "key"}))
    page.add_init_script(f"sessionStorage.setItem('packhouse.session', {session})")
    return page


def _first_load(browser: Browser, url: str, key: str) -> dict[str, Any]:
    sizes, seconds = [], []
    for _ in range(_LOADS):
        page = _page(browser, key)
        began = time.perf_counter()
        page.goto(f"{url}/console/tables", wait_until="commit")
        page.locator(".rows tbody a").first.wait_for(timeout=60_000)
        page.locator(".rows tbody a").first.click(trial=True)
        seconds.append(time.perf_counter() - began)
        sizes.append(
            page.evaluate(
                "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]"
                ".filter((entry) => entry.name.includes('/console'))"
                ".reduce((sum, entry) => sum + entry.encodedBodySize, 0)"
            )
        )
        page.context.close()
    return {"what": "first load", "kB gzip": max(sizes) / 1000, "interactive seconds": statistics.median(seconds)}


def _scroll(browser: Browser, url: str, key: str) -> dict[str, Any]:
    page = _page(browser, key)
    page.goto(f"{url}/console/tables")
    page.locator(".rows tbody a").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1_000)
    found: dict[str, Any] = page.evaluate(_SCROLL)
    page.context.close()
    return {
        "what": "scroll",
        "rows": found["rows"],
        "frames": found["frames"],
        "longest ms": found["longest"],
        "over 50 ms": found["over50"],
    }


def _memory(browser: Browser, url: str, key: str, minutes: float) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"}
    run = httpx.get(f"{url}/v1/runs", headers=headers, params={"page_size": 1}).json()["items"][0]["id"]
    page = _page(browser, key)
    page.add_init_script(_STREAM)
    page.route(f"**/v1/runs/{run}", _as_live)
    page.goto(f"{url}/console/runs/{run}")
    while (page.evaluate("window.updates ?? 0")) < _UPDATES_BEFORE:
        page.wait_for_timeout(500)
    before, updates = _heap(page), page.evaluate("window.updates")
    page.wait_for_timeout(minutes * 60_000)
    after = _heap(page)
    shown = page.evaluate("window.updates") - updates
    page.unroute_all(behavior="wait")
    page.context.close()
    return {
        "what": "run page",
        "minutes": minutes,
        "updates": shown,
        "MB more": (after - before) / 1e6,
        "MB": after / 1e6,
    }


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


if __name__ == "__main__":
    main()
