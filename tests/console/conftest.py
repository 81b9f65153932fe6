"""A stack with a few tables, and a browser whose pages report errors, refused content and accessibility violations."""

from collections.abc import Callable, Iterator

import pytest
from packhouse_client import Packhouse
from playwright.sync_api import BrowserContext, sync_playwright

from engine.embedded.demo_table import write_demo_table
from tests.console.login import CLIENT, LoginProvider, login_provider
from tests.console.pages import Watched
from tests.support.chromium import launch
from tests.support.oidc_issuer import AUDIENCE
from tests.support.stack import Stack, started

TABLES = {
    "lake.shop.orders": 12,
    "lake.shop.payments": 8,
    "lake.web.clicks": 20,
    "lake.runs.first": 8,
    "lake.runs.second": 20,
    "lake.runs.third": 4,
    "lake.runs.gone": 2,
}


@pytest.fixture(scope="session")
def login() -> Iterator[LoginProvider]:
    """The identity provider of the stack."""
    with login_provider() as provider:
        yield provider


@pytest.fixture(scope="package")
def console(tmp_path_factory: pytest.TempPathFactory, login: LoginProvider) -> Iterator[Stack]:
    """A stack with a catalog, tables with small files, a policy, and a run that has succeeded."""
    settings = {
        "PACKHOUSE_WATCH": "off",
        "PACKHOUSE_OIDC_ISSUER": login.url,
        "PACKHOUSE_OIDC_AUDIENCE": AUDIENCE,
        "PACKHOUSE_OIDC_CONSOLE_CLIENT_ID": CLIENT,
    }
    with started(tmp_path_factory.mktemp("console"), **settings) as stack:
        for name, files in TABLES.items():
            write_demo_table(
                catalog_properties=stack.catalog_properties,
                name=name,
                files=files,
                partitions=2,
                total_bytes=files * 2**16,
            )
        with client(stack) as packhouse:
            catalog = {"name": "lake", "format": "iceberg", "properties": dict(stack.catalog_properties)}
            packhouse.catalogs.create(body=catalog)
            packhouse.catalogs.register("lake", body={"owner_team": "shop"})
            policy = {"rewrite": {"min_input_files": 2}}
            packhouse.table_policies.replace("lake.shop.orders", body=policy, if_none_match="*")
            run = packhouse.runs.submit(
                body={"table_id": "lake.shop.orders", "operation": "rewrite", "force_full": True, "every_file": True}
            )
            assert packhouse.wait_for_run(run.id, timeout=120).state == "succeeded"
        yield stack


def client(stack: Stack, key: str | None = None) -> Packhouse:
    """Return a client of the stack, by default with the key of its admin."""
    return Packhouse(stack.url, stack.key if key is None else key)


@pytest.fixture(scope="package")
def browser() -> Iterator[BrowserContext]:
    """Debian's Chromium with one profile; a missing one is a failure, since these tests are the proof of the console.

    It ends with the tests of this folder: Playwright keeps an event loop running in the thread, so that no asyncio test
    can start in it.
    """
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser.new_context(
            viewport={"width": 1440, "height": 900},
            reduced_motion="reduce",
            permissions=["clipboard-read", "clipboard-write"],
        )
        browser.close()


OpenPage = Callable[..., Watched]


@pytest.fixture
def open_page(console: Stack, browser: BrowserContext) -> Iterator[OpenPage]:
    """Open pages of the console, each signed in by itself; at the end none has seen an error of its own.

    They are tabs of one browser profile, as a person's are: only the files of the console are shared, by its cache.
    """
    opened: list[Watched] = []

    def open_one(path: str | None = "/", *, key: str | None = "", url: str | None = None) -> Watched:
        page = Watched(browser.new_page(), url or console.url)
        page.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        if key is not None:
            page.sign_in(key or console.key)
        opened.append(page)
        return page if path is None else page.go(path)

    yield open_one
    for page in opened:
        page.page.close()
    problems = [problem for page in opened for problem in page.problems]
    assert not problems, "\n".join(problems)
