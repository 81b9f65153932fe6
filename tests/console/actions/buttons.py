"""Buttons and their dialogs."""

from playwright.sync_api import Locator, Page


def press(page: Page | Locator, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def confirm(page: Page, name: str, *, reason: str | None = None) -> None:
    """Press a button and the button of the same name in its dialog."""
    press(page, name)
    dialog = page.get_by_role("dialog")
    if reason is not None:
        dialog.get_by_label("Reason").fill(reason)
    press(dialog, name)
