"""A page of the console as the tests use it: signed in, watched for errors, judged by axe."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Page, expect

AXE = Path(__file__).parents[2] / "clients/console/node_modules/axe-core/axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PATIENCE_MS = 20_000

_TELL_REFUSED = """
document.addEventListener('securitypolicyviolation', (event) => console.error(
  'refused by the content security policy:', event.effectiveDirective, event.sourceFile, event.sample,
  event.target?.outerHTML?.slice(0, 300)));
"""

expect.set_options(timeout=PATIENCE_MS)


class Watched:
    """A page and everything it complained about.

    Answers of 401 to 503 that the console shows are no complaints of the page: Chromium writes each to its log.
    """

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.problems: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._on_console)
        page.add_init_script(_TELL_REFUSED)
        page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))

    def sign_in(self, key: str) -> None:
        """Put a key where the sign-in page would."""
        session = json.dumps({"token": key, "kind": "key"})
        self.page.add_init_script(
            f"if (!sessionStorage.getItem('tested')) {{ sessionStorage.setItem('tested', '1');"
            f" sessionStorage.setItem('packhouse.session', {json.dumps(session)}) }}"
        )

    def turn_dark(self) -> "Watched":
        """Change the colour scheme of the system, which the page follows."""
        self.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        expect(self.page.locator("html[data-mantine-color-scheme=dark]")).to_have_count(1)
        return self

    def go(self, path: str) -> "Watched":
        """Open an address of the console."""
        self.page.goto(f"{self.url}/console{path}")
        return self

    def settle(self) -> "Watched":
        """Wait until nothing is loading."""
        self.page.wait_for_load_state("networkidle")
        expect(self.page.get_by_role("status", name=re.compile("^Loading"))).to_have_count(0)
        return self

    def violations(self) -> list[str]:
        """Return the accessibility rules that the page breaks, each with the elements."""
        if not self.page.evaluate("typeof axe !== 'undefined'"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found: dict[str, Any] = self.page.evaluate("tags => axe.run({runOnly: {type: 'tag', values: tags}})", WCAG)
        return [
            f"{rule['id']}: {rule['help']}: {node['html'][:200]} {node['any'][:1]}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.problems.append(f"{message.type}: {message.text} {message.location}")
