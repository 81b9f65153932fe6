"""B24: the console in Chromium on this machine, against an api process with a large record and a large table.

- `first-load`: the sum of the compressed bytes of the page, scripts and styles until the list of tables is shown, with
  an empty cache, and the time from the start of the navigation until the first row is visible.
- `tables`, `runs`, `timeline`, `partitions`: the time to the first rows, the frames while the view scrolls (the next
  pages are fetched when they are reached), and the time of a filter or an order until its first row is visible. Every
  answer is the api's own: 1,000,000 runs in Postgres, and a table of 40,000 partitions that exists in metadata only.
- `run-page`: a run whose event stream gives two updates a second, which is more than the api sends (one a second); its
  heap after a garbage collection, at first and after some minutes.

There is no peer: the goals are those of the design.

    python -m bench.console [--scenes runs,partitions] [--tables 10000] [--runs 1000000] [--scroll-runs 20000]
                            [--partitions 40000] [--minutes 10] [--json console.json]

Goals: 350 kB, 1.5 s, no frame over 50 ms, less than 20 MB more in ten minutes.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from bench.console import lists
from bench.console.pages import Console, first_load
from bench.console.records import fill_record, register_partitioned
from bench.console.run_page import memory
from bench.facts import machine_facts, print_table, write_json
from bench.servers import api, shared_servers
from tests.support.chromium import launch

Row = dict[str, Any]
Scene = Callable[[Console, Path, argparse.Namespace], Iterator[Row]]


def _partitions(console: Console, folder: Path, given: argparse.Namespace) -> Iterator[Row]:
    with console.client() as client:
        table_id = register_partitioned(client, folder / "manifests", partitions=given.partitions)
    yield from lists.partitions(console, table_id)


SCENES: dict[str, Scene] = {
    "first-load": lambda console, _folder, _given: iter([{"what": "first load", **first_load(console)}]),
    "tables": lambda console, _folder, _given: lists.tables(console),
    "runs": lambda console, _folder, given: lists.runs(console, rows=given.scroll_runs),
    "timeline": lambda console, _folder, _given: lists.timeline(console),
    "partitions": _partitions,
    "run-page": lambda console, _folder, given: memory(console, minutes=given.minutes),
}


def main() -> None:
    """Measure and print."""
    given = _arguments()
    rows: list[Row] = []
    with TemporaryDirectory(prefix="bench-console-") as scratch, shared_servers(Path(scratch)) as shared:
        fill_record(shared.postgres, tables=given.tables, runs=given.runs)
        with api(shared, Path(scratch) / "api.log") as (port, key), sync_playwright() as playwright:
            browser = launch(playwright)
            console = Console(browser, f"http://127.0.0.1:{port}", key)
            for name in given.scenes:
                print(f"{name}: load average {os.getloadavg()[0]:.2f} before")
                for row in SCENES[name](console, Path(scratch), given):
                    print_table([row])
                    rows.append(row)
            browser.close()
    write_json(given.json, {"benchmark": "B24", "machine": machine_facts(), "rows": rows})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=_scenes, default=list(SCENES), help=f"of {','.join(SCENES)}; default: all")
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--scroll-runs", type=int, default=20_000, help="rows of the runs to scroll through")
    parser.add_argument("--partitions", type=int, default=40_000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _scenes(text: str) -> Sequence[str]:
    names = text.split(",")
    if unknown := set(names) - set(SCENES):
        raise argparse.ArgumentTypeError(f"no such scene: {', '.join(sorted(unknown))}; known: {', '.join(SCENES)}")
    return names


if __name__ == "__main__":
    main()
