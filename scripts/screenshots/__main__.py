"""Take the screenshots of docs/reference/console.md from a real stack: every page, light and dark (`make screenshots`).

Tables are written as streams do, policies and runs are made over the API, and Chromium shows what the console makes of
it. Pictures differ from time to time in ids, times and rates.

    python scripts/screenshots [--only fleet,table] [--folder docs/images/console]
"""

import argparse
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, BrowserContext, sync_playwright

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from engine.embedded.demo_table import write_demo_table  # noqa: E402
from scripts.demo.stack import Stack  # noqa: E402
from tests.support.chromium import launch  # noqa: E402

SIZE: Final = {"width": 1440, "height": 900}
TABLES: Final = {
    "lake.shop.orders": (180, 6),
    "lake.shop.payments": (90, 5),
    "lake.shop.returns": (24, 2),
    "lake.web.clicks": (240, 12),
    "lake.web.sessions": (40, 4),
}
QUIET: Final = {
    "days": ["mon", "tue", "wed", "thu", "fri"],
    "from": "09:00",
    "to": "17:00",
    "time_zone": "Europe/Berlin",
    "on_start": "drain",
}
EXPIRY: Final = {"older_than": "1s", "keep_last": 3, "delete_files": True}
BOUND: Final = "up_to:bytes=1GB,files=10000"
"""Acknowledges the deletions of the story."""


class Api:
    """The public API, as the story needs it."""

    def __init__(self, url: str, key: str) -> None:
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send a request and return its document; an error ends the script."""
        answer = self._http.request(method, path, json=body, headers=headers)
        if answer.is_error:
            sys.exit(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json() if answer.content else None

    def ended(self, run: str) -> dict[str, Any]:
        """Wait for the end of a run and return it."""
        while not (found := self.call("GET", f"/v1/runs/{run}"))["is_terminal"]:
            time.sleep(0.3)
        return dict(found)


def main() -> None:
    """Write the tables, let runs happen, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names of pictures, separated by commas; all without it")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs/images/console")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="packhouse-screenshots-") as folder, Stack(data_dir=Path(folder) / "data") as stack:
        lake = _write_tables(Path(folder) / "lake")
        key = stack.wait()
        live, ended = _story(Api(stack.url, key), lake)
        with sync_playwright() as playwright:
            browser = launch(playwright)
            for name, path in _pages(live, ended).items():
                if given.only is None or name in given.only.split(","):
                    for scheme in ("light", "dark"):
                        context = _context(browser, scheme, "" if name == "sign-in" else key)
                        _take(context, stack.url, path, given.folder / f"{name}-{scheme}.png")
                        context.close()
                    print(f"{name}: {path}")
            browser.close()


def _write_tables(folder: Path) -> dict[str, str]:
    folder.mkdir()
    lake = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": folder.as_uri()}
    for name, (files, partitions) in TABLES.items():
        write_demo_table(
            catalog_properties=lake, name=name, files=files, partitions=partitions, total_bytes=files * 300_000
        )
    return lake


def _story(api: Api, lake: dict[str, str]) -> tuple[str, str]:
    """Return the id of a run that goes on for minutes, and of one that succeeded."""
    api.call("POST", "/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": lake})
    api.call("POST", "/v1/catalogs/lake/discover", {"register": True, "owner_team": "shop"})
    api.call(
        "POST",
        f"/v1/policies?acknowledge={BOUND}",
        {
            "name": "office-hours",
            "scope": {"kind": "catalog", "catalog": "lake"},
            "policy": {"quiet_hours": [QUIET], "maintenance": {"expire_snapshots": EXPIRY}},
        },
    )
    new = {"If-None-Match": "*"}
    policy = {"rewrite": {"min_input_files": 2, "target_file_bytes": "256MiB"}, "limits": {"bandwidth": "80MB"}}
    api.call("PUT", "/v1/tables/lake.shop.orders/policy", policy | {"quiet_hours": []}, **new)
    slow = {"rewrite": {"min_input_files": 2}, "limits": {"bandwidth": "300kB"}, "quiet_hours": []}
    api.call("PUT", "/v1/tables/lake.web.clicks/policy", slow, **new)
    api.call("PUT", "/v1/tables/lake.shop.returns/policy", {"quiet_hours": []}, **new)
    for table in TABLES:
        api.call("GET", f"/v1/tables/{table}/health")
    ended = api.ended(
        api.call("POST", "/v1/runs", {"table_id": "lake.shop.orders", "operation": "rewrite", "every_file": True})["id"]
    )
    if ended["state"] != "succeeded":
        sys.exit(f"the run ended as {ended['state']}: {ended['detail']}")
    _delete_history(api)
    live = api.call("POST", "/v1/runs", {"table_id": "lake.web.clicks", "operation": "rewrite"})["id"]
    for _ in range(200):
        if api.call("GET", f"/v1/runs/{live}")["state"] == "rewriting":
            break
        time.sleep(0.3)
    time.sleep(15)  # so that the chart of the rate has something to show
    return str(live), str(ended["id"])


def _delete_history(api: Api) -> None:
    """Submit deletions of three tables: one that is done at once, one that is undone, one that stays announced."""
    for table, is_undone, grace in (("orders", False, "0s"), ("returns", True, "6h"), ("payments", False, "6h")):
        run = {
            "table_id": f"lake.shop.{table}",
            "operation": "expire_snapshots",
            "grace": grace,
            "allow_duplicate": True,
        }
        deletion = api.call("POST", f"/v1/runs?acknowledge={BOUND}", run)["id"]
        if is_undone:
            api.call("POST", f"/v1/deletions/{deletion}/undo")
        elif grace == "0s":
            api.ended(deletion)


def _pages(live: str, ended: str) -> dict[str, str]:
    return {
        "sign-in": "/",
        "fleet": "/fleet",
        "tables": "/tables",
        "table": "/tables/lake.shop.payments",
        "partitions": "/tables/lake.shop.payments?tab=partitions",
        "explain": "/tables/lake.shop.payments?tab=explain",
        "snapshots": "/tables/lake.shop.orders?tab=snapshots",
        "upkeep": "/tables/lake.shop.returns?tab=upkeep",
        "advice": "/tables/lake.web.sessions?tab=advice",
        "policy": "/tables/lake.shop.payments/policy",
        "scoped-policy": "/policies/office-hours",
        "policies": "/policies",
        "run-live": f"/runs/{live}",
        "run-ended": f"/runs/{ended}",
        "runs": "/runs",
        "runs-timeline": "/runs?view=timeline",
        "deletions": "/deletions",
        "catalogs": "/catalogs",
        "catalog": "/catalogs/lake",
        "keys": "/keys",
        "audit": "/audit",
        "signals": "/signals",
        "formats": "/formats",
    }


def _context(browser: Browser, scheme: Any, key: str) -> BrowserContext:
    """Open a window that is signed in, except with an empty key."""
    context = browser.new_context(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    if key:
        session = json.dumps(json.dumps({"token": key, "kind": "key"}))
        context.add_init_script(f"sessionStorage.setItem('packhouse.session', {session})")
    return context


def _take(context: BrowserContext, url: str, path: str, file: Path) -> None:
    page = context.new_page()
    page.goto(f"{url}/console{path}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(8_000 if "/runs/" in path else 2_500)  # figures and charts arrive after the heading
    page.screenshot(path=file, full_page=True)


if __name__ == "__main__":
    main()
