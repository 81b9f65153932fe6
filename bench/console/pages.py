"""Signed-in pages of the console, and what is measured in them: seconds until rows show, and the times of frames.

Seconds are by the page's clock, up to the end of the frame in which an element is first in the document and visible.
A frame's time is that between two calls of `requestAnimationFrame`, so it has everything that delays the next picture:
scripts, layout and painting in the page, and other work of the machine. On a machine that is not quiet, the CPU time of
the longest task of the page's main thread shows what the page itself needs.
"""

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, Page

GOAL_KB: Final = 350
GOAL_SECONDS: Final = 1.5
GOAL_FRAME_MS: Final = 50
"""Three intervals of 60 Hz; those are measured as 49.9 to 50.1 ms."""
LOADS: Final = 5
"""Loads of which the median is taken, each with an empty cache of the browser."""

Row = dict[str, Any]

_CONSOLE_BYTES: Final = """
[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
  .filter((entry) => entry.name.includes('/console'))
  .reduce((sum, entry) => sum + entry.encodedBodySize, 0)
"""
_TIMEOUT_MS: Final = 60_000
_BENCH: Final = """
window.bench = {
  start() {
    const frames = this.frames = [];
    let last;
    const tick = (at) => {
      if (this.frames !== frames) return;
      if (last !== undefined) frames.push(at - last);
      last = at;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  },
  stop() {
    const frames = this.frames.slice(1);
    this.frames = undefined;
    return { frames: frames.length, longest: Math.max(...frames), over: frames.filter((ms) => ms > GOAL + 0.5).length };
  },
  watch(selector) {
    this.shown = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`not shown: ${selector}`)), TIMEOUT);
      const tick = () => {
        if (document.querySelector(selector)?.checkVisibility()) setTimeout(() => resolve(performance.now()));
        else requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
  },
  async scroll(pixels, most) {
    const view = document.querySelector('.rows');
    const end = most * 40;
    let at = -1;
    while (view.scrollTop !== at && view.scrollTop < end) {
      at = view.scrollTop;
      for (let step = 0; step < 30; step++) { view.scrollTop += pixels; await new Promise(requestAnimationFrame); }
      for (let wait = 0; wait < 100 && view.scrollTop === at; wait++) {
        view.scrollTop += pixels;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    const rows = [...view.querySelectorAll('tbody tr[aria-rowindex]')];
    return Math.max(...rows.map((row) => Number(row.getAttribute('aria-rowindex')) - 1));
  },
};
""".replace("GOAL", str(GOAL_FRAME_MS)).replace("TIMEOUT", str(_TIMEOUT_MS))


@dataclass(frozen=True, slots=True)
class Console:
    """A served console, and a browser; `key` is of an admin."""

    browser: Browser
    url: str
    key: str

    def client(self) -> httpx.Client:
        """Return a client of the api."""
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=60)

    def page(self) -> Page:
        """Return a page of 1440 by 900 pixels in a context of its own, signed in."""
        page = self.browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        session = json.dumps(json.dumps({"token": self.key, "kind": "key"}))
        page.add_init_script(f"sessionStorage.setItem('packhouse.session', {session})")
        page.add_init_script(_BENCH)
        return page


def seconds_until(page: Page, selector: str, action: Callable[[], object]) -> float:
    """Return the seconds from the start of an action until an element is visible."""
    page.evaluate("selector => { bench.watch(selector); }", selector)
    began: float = page.evaluate("performance.now()")
    action()
    return _shown_at(page) - began / 1000


def first_load(console: Console) -> Row:
    """Open the list of tables with an empty cache; add up the compressed bytes of the page, its scripts and styles."""
    seconds, sizes = _loads(console, "/console/tables", ".rows tbody a")
    kilobytes = max(sizes) / 1000
    return {"kB gzip": kilobytes, "goal kB": GOAL_KB, "size": verdict(held=kilobytes <= GOAL_KB), **_soon(seconds)}


def first_shown(console: Console, path: str, selector: str) -> Row:
    """Return the seconds from the start of the navigation until the selector is visible: the first load, the median."""
    return _soon(_loads(console, path, selector)[0])


def scrolled(page: Page, *, pixels: int, rows: int) -> Row:
    """Scroll by this many pixels a frame to the end, or to a row; return the frames and the page's longest task."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["toplevel"])
    page.evaluate("bench.start()")
    began = time.perf_counter()
    reached = page.evaluate(f"bench.scroll({pixels}, {rows})")
    seconds = time.perf_counter() - began
    frames = frames_of(page)
    longest = longest_task_ms(json.loads(browser.stop_tracing())["traceEvents"])
    work = {"task CPU ms": longest, "work": verdict(held=longest <= GOAL_FRAME_MS)}
    return {"rows": reached, "seconds": seconds, **frames, **work}


def frames_of(page: Page) -> Row:
    """Return the number of frames since `bench.start()`, the longest one, and those that miss the goal."""
    found = page.evaluate("bench.stop()")
    return {
        "frames": found["frames"],
        "longest ms": found["longest"],
        f"over {GOAL_FRAME_MS} ms": found["over"],
        "smooth": verdict(held=found["over"] == 0),
    }


def longest_task_ms(events: Sequence[Row]) -> float:
    """Return the most CPU time of a task on the main thread of a page, from the events of a trace."""
    names = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    tasks = (each for each in events if names.get((each["pid"], each["tid"])) == "CrRendererMain")
    longest: int = max(each["tdur"] for each in tasks if "tdur" in each)
    return longest / 1000


def verdict(*, held: bool) -> str:
    """Return the word for a goal that was reached or not."""
    return "held" if held else "missed"


def _loads(console: Console, path: str, selector: str) -> tuple[list[float], list[int]]:
    seconds, sizes = [], []
    for _ in range(LOADS):
        page = console.page()
        page.add_init_script(f"bench.watch({json.dumps(selector)})")
        page.goto(console.url + path, wait_until="commit")
        seconds.append(_shown_at(page))  # since the start of the navigation
        sizes.append(page.evaluate(_CONSOLE_BYTES))
        page.context.close()
    return seconds, sizes


def _soon(seconds: list[float]) -> Row:
    median = statistics.median(seconds)
    return {
        "first load s": seconds[0],
        "median s": median,
        "goal s": GOAL_SECONDS,
        "time": verdict(held=median < GOAL_SECONDS),
    }


def _shown_at(page: Page) -> float:
    shown: float = page.evaluate("bench.shown")
    return shown / 1000
