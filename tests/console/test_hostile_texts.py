"""Names and messages from tables, catalogs and people are hostile: shown as text on every page, never run."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.console.conftest import OpenPage, client
from tests.console.test_every_page import PAGES
from tests.support.stack import Stack

HOSTILE = (
    '<img src=x onerror="window.ran=1"><script>window.ran=1</script>{{7*7}}${window.ran=1}'
    "\u202etxt.exe\u2066 \U0001f9ca\U0001f468\u200d\U0001f469 \ufeff\x00'\"`;--" + "w" * 1000
)
KEPT = re.compile(  # words of the API itself, and what addresses pages and requests
    r"at|from|hash|kind|state|operation|role|format|verdict|unit|operator|outcome|on_start|from_state|to_state|strategy|"
    r"engine|origin|setting|metric|source|layout|next_page_token|priority|time_zone|to|id|plan_hash|.*_(at|id)"
)


def spoiled(value: Any, key: str = "") -> Any:
    """Return a document of the API with hostile text in place of each free text; times and the API's words stay."""
    match value:
        case dict():
            return {name: spoiled(item, name) for name, item in value.items()}
        case list():
            return [spoiled(item, key) for item in value]
        case str() if KEPT.fullmatch(key):
            return value
        case str():
            return value + HOSTILE
        case _:
            return value


def spoil(route: Route) -> None:
    """Answer a request with the server's own answer, spoiled."""
    if any(part in route.request.url for part in ("policy-schema", "whoami", "/events", "effective-policy", "presets")):
        route.continue_()
        return
    answer = route.fetch(max_retries=3)  # of connections that the server closed when they were idle
    if answer.headers.get("content-type", "").startswith("application/json"):
        route.fulfill(response=answer, body=json.dumps(spoiled(answer.json())))
    else:
        route.fulfill(response=answer)


@pytest.mark.parametrize("path", [*PAGES, "run"])
def test_hostile_texts_are_shown_and_never_run(console: Stack, open_page: OpenPage, path: str) -> None:
    if path == "run":
        with client(console) as packhouse:
            path = f"/runs/{next(iter(packhouse.runs.list(state='succeeded'))).id}"
    watched = open_page(None)
    watched.page.route("**/v1/**", spoil)
    watched.go(path).settle()
    page = watched.page
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert page.locator("main img, main script, main iframe, [onerror]").count() == 0
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"the page is {wide} px wider than the window"
    page.unroute_all(behavior="wait")
