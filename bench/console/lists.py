"""Long lists of the console: time to the first rows, frames while scrolling, time of a filter or another order.

Filters and orders are changed after the scroll, with all its pages in the page's memory.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import httpx
from playwright.sync_api import Page, Request

from bench.console.pages import GOAL_SECONDS, Console, first_shown, frames_of, scrolled, seconds_until, verdict

Row = dict[str, Any]

_WHEEL_PIXELS: Final = 120
"""In each frame, on the list of tables."""
_FLING_PIXELS: Final = 400
"""In each frame, on longer lists: 10 rows, which is 600 rows a second at 60 frames a second."""
_SETTLE_MS: Final = 1_000
_OPEN_MS: Final = 20_000
"""How long the timeline is watched: it is drawn each 5 s and fetched each 15 s."""
_RETURNED_MS: Final = 10_000
_ALL: Final = 10**9
_FIRST_LINK: Final = ".rows tbody a"
_FIRST_CELL: Final = '.rows tbody tr[aria-rowindex="2"]'


def tables(console: Console) -> Iterator[Row]:
    """Scroll through all tables."""
    page = _opened(console, "/console/tables", _FIRST_LINK)
    yield {"what": "tables: scroll", **scrolled(page, pixels=_WHEEL_PIXELS, rows=_ALL)}
    page.context.close()


def runs(console: Console, *, rows: int) -> Iterator[Row]:
    """Open the runs, scroll through the first of them, and filter them by state, then by table."""
    yield {"what": "runs: first rows", **first_shown(console, "/console/runs", _FIRST_LINK)}
    page = _opened(console, "/console/runs", _FIRST_LINK)
    yield {"what": "runs: scroll", **scrolled(page, pixels=_FLING_PIXELS, rows=rows)}
    yield {"what": "runs: return to window", **_returned(page)}
    with console.client() as api:
        failed = _items(api, "/v1/runs", state="failed", page_size="50")
        rare = next(run["table_id"] for run in reversed(failed) if run["table_id"] != failed[0]["table_id"])
        of_table = _items(api, "/v1/runs", state="failed", table_id=rare)
    filters = page.get_by_role("search", name="Filter the runs")
    filters.get_by_label("State", exact=True).first.click()
    by_state = page.get_by_role("option", name="failed", exact=True)
    by_table = filters.get_by_label("Table", exact=True)
    yield {"what": "runs: state=failed", **_changed(page, _run_first(failed), by_state.click)}
    yield {"what": "runs: and a table", **_changed(page, _run_first(of_table), lambda: by_table.fill(rare))}
    page.context.close()


def timeline(console: Console) -> Iterator[Row]:
    """Open the timeline of the last 24 hours and leave it open."""
    path, bar = "/console/runs?view=timeline", ".gantt [data-bar]"
    yield {"what": "timeline: first bars", **first_shown(console, path, bar)}
    page = _opened(console, path, bar)
    page.evaluate("bench.start()")
    page.wait_for_timeout(_OPEN_MS)
    bars = page.locator(bar).count()
    yield {"what": "timeline: open", "bars": bars, "seconds": _OPEN_MS / 1000, **frames_of(page)}
    page.context.close()


def partitions(console: Console, table_id: str) -> Iterator[Row]:
    """Open the partitions of a table, scroll through all of them, and order them by size."""
    path = f"/console/tables/{table_id}?tab=partitions"
    yield {"what": "partitions: first rows", **first_shown(console, path, _FIRST_CELL)}
    page = _opened(console, path, _FIRST_CELL)
    yield {"what": "partitions: scroll", **scrolled(page, pixels=_FLING_PIXELS, rows=_ALL)}
    yield {"what": "partitions: return to window", **_returned(page)}
    with console.client() as api:
        largest = _items(api, f"/v1/tables/{table_id}/partitions", sort="-total_bytes", page_size="1")[0]
    title = json.dumps(largest["partition"]["text"])
    by_size = page.get_by_role("button", name="Size")
    yield {"what": "partitions: by size", **_changed(page, f"{_FIRST_CELL} [title={title}]", by_size.click)}
    page.context.close()


def _opened(console: Console, path: str, selector: str) -> Page:
    page = console.page()
    page.goto(console.url + path)
    page.locator(selector).first.wait_for(timeout=60_000)
    page.wait_for_timeout(_SETTLE_MS)
    return page


def _items(api: httpx.Client, path: str, **query: str) -> list[dict[str, Any]]:
    answer = api.get(path, params=query)
    answer.raise_for_status()
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def _run_first(runs: Sequence[dict[str, Any]]) -> str:
    return f'{_FIRST_CELL} a[title="{runs[0]["id"]}"]'


def _changed(page: Page, first_row: str, change: Callable[[], object]) -> Row:
    """Return the seconds from a change of filter or order until the new first row is visible."""
    page.evaluate("bench.start()")
    seconds = seconds_until(page, first_row, change)
    page.wait_for_timeout(_SETTLE_MS)
    return {"shown s": seconds, "goal s": GOAL_SECONDS, "soon": verdict(held=seconds < GOAL_SECONDS), **frames_of(page)}


def _returned(page: Page) -> Row:
    """Return the requests and frames of the seconds after the window is shown again."""
    requests = 0

    def count(_: Request) -> None:
        nonlocal requests
        requests += 1

    page.on("request", count)
    page.evaluate("bench.start()")
    page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(_RETURNED_MS)
    page.remove_listener("request", count)
    return {"seconds": _RETURNED_MS / 1000, "requests": requests, **frames_of(page)}
