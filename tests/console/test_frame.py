"""The frame of the console: signing in and out, search, keyboard, lost connections, old keys."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.console.conftest import OpenPage, client
from tests.support.stack import Stack


def test_a_key_opens_the_page_that_was_asked_for(console: Stack, open_page: OpenPage) -> None:
    page = open_page("/formats", key=None).page
    page.get_by_label("API key").fill(console.key)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Formats")
    assert console.key not in page.url
    assert page.evaluate("Object.keys(localStorage).filter(k => localStorage[k].includes('pkh_'))") == []


def test_a_wrong_key_is_refused_with_the_remedy(open_page: OpenPage) -> None:
    page = open_page("/", key=None).page
    page.get_by_label("API key").fill("pkh_" + "0" * 43)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("ask an admin for a new one")


def test_signing_out_leaves_nothing_behind(open_page: OpenPage) -> None:
    page = open_page("/tables").settle().page
    page.get_by_role("button", name="key:admin").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('packhouse.session')") is None


def test_a_key_revoked_meanwhile_ends_the_session_where_it_was(console: Stack, open_page: OpenPage) -> None:
    with client(console) as packhouse:
        created = packhouse.keys.create(body={"name": "short-lived", "role": "viewer"})
        page = open_page("/runs", key=created.secret).settle().page
        packhouse.keys.revoke(created.id)
    page.reload()
    expect(page.get_by_text("no longer accepted")).to_be_visible()
    page.get_by_label("API key").fill(console.key)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Runs")


def test_styles_are_shown_whatever_the_nonce_begins_with(open_page: OpenPage) -> None:
    """One of 4,096 random nonces begins like the placeholder that it replaces, with two underscores."""

    def answer(route: Route) -> None:
        found = route.fetch()
        policy = found.headers["content-security-policy"]
        (nonce,) = re.findall(r"'nonce-([^']+)'", policy)
        other = f"__{nonce[2:]}"
        headers = found.headers | {"content-security-policy": policy.replace(nonce, other)}
        route.fulfill(response=found, headers=headers, body=found.text().replace(nonce, other))

    page = open_page(None)
    page.page.route("**/console/formats", answer)
    page.go("/formats").settle()
    expect(page.page.get_by_role("heading", level=1)).to_contain_text("Formats")
    assert page.page.evaluate("getComputedStyle(document.body).getPropertyValue('--mantine-color-text')") != ""


@pytest.mark.deep
def test_keys_lead_to_pages(open_page: OpenPage) -> None:
    page = open_page("/fleet").settle().page
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Tables")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.get_by_placeholder("Search pages, tables and runs").fill("orders")
    page.get_by_role("dialog").get_by_text("lake.shop.orders").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("lake.shop.orders")


def test_a_lost_connection_is_shown_until_it_is_back(open_page: OpenPage) -> None:
    page = open_page("/tables").settle().page
    page.route("**/v1/**", lambda route: route.abort())
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_text("The server does not answer since")).to_be_visible()
    page.unroute("**/v1/**")
    page.get_by_role("link", name="Formats", exact=True).click()
    expect(page.get_by_text("The server does not answer since")).to_have_count(0)


@pytest.mark.deep
def test_an_unknown_address_leads_back(open_page: OpenPage) -> None:
    page = open_page("/nothing/here").page
    page.get_by_role("link", name="Go to the fleet").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Fleet")


@pytest.mark.deep
def test_the_names_of_catalogs_are_one_answer_for_every_page(open_page: OpenPage) -> None:
    """The list of runs, the limits of the fleet and the scopes of policies read the same entry of the cache."""
    page = open_page("/runs").settle().page
    page.get_by_role("link", name="Fleet", exact=True).click()
    page.get_by_role("button", name="Limits", exact=True).click()
    expect(page.get_by_role("combobox", name="Limits of a catalog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Runs")
