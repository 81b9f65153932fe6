"""Signing in at an identity provider: code flow with PKCE, and what a refusal shows."""

import pytest
from playwright.sync_api import expect

from tests.console.conftest import OpenPage
from tests.console.login import LoginProvider


def test_a_person_signs_in_at_the_provider_and_comes_back_to_the_page(
    open_page: OpenPage, login: LoginProvider
) -> None:
    page = open_page("/formats?from=link", key=None).page
    page.get_by_role("button", name="Sign in at 127.0.0.1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Formats")
    expect(page.get_by_role("button", name="oidc:u-17")).to_be_visible()
    assert "code=" not in page.url
    assert "state=" not in page.url


def test_a_refusal_of_the_provider_is_shown(open_page: OpenPage, login: LoginProvider) -> None:
    login.refuses = True
    page = open_page("/formats", key=None).page
    page.get_by_role("button", name="Sign in at 127.0.0.1").click()
    expect(page.get_by_role("alert")).to_contain_text("no access for you")
    login.refuses = False


@pytest.mark.parametrize("answer", ["code=stolen", "error=access_denied&error_description=call+this+number"])
def test_an_answer_to_another_attempt_is_not_taken(open_page: OpenPage, login: LoginProvider, answer: str) -> None:
    watched = open_page("/formats", key=None)
    page = watched.page
    expect(page.get_by_role("button", name="Sign in at 127.0.0.1")).to_be_visible()
    page.evaluate(
        "sessionStorage.setItem('packhouse.sign-in', JSON.stringify({state: 'mine', verifier: 'v', back: '/console/'}))"
    )
    watched.go(f"/?{answer}&state=another")
    expect(page.get_by_role("alert")).to_contain_text("belongs to another attempt")
    expect(page.get_by_text("call this number")).to_have_count(0)
    assert page.evaluate("sessionStorage.getItem('packhouse.session')") is None
