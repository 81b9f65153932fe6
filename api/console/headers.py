"""Headers of the console's answers: what its page may load, and how long files are kept.

The page loads scripts and styles of its own origin only. Libraries that insert style elements at run time mark them
with a nonce: the build's page has `NONCE_PLACEHOLDER` where scripts find it, and each answer gets a new one. Such a
page is never stored, because a stored one would come with the nonce of another answer.
"""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

NONCE_PLACEHOLDER: Final = "__CSP_NONCE__"
IMMUTABLE: Final = "public, max-age=31536000, immutable"
REVALIDATED: Final = "no-cache"
NOT_STORED: Final = "no-store"
_NONCE_BYTES: Final = 16
_ORIGIN: Final = re.compile(r"(https?://(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?)(?:[/?#]|\Z)")


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """One answer with the page."""

    text: str
    headers: dict[str, str]


def page_of(text: str, *, allowed: Iterable[str]) -> ConsolePage:
    """Return the page as one answer sends it; scripts may connect to the origins of the `allowed` addresses."""
    if NONCE_PLACEHOLDER not in text:
        return ConsolePage(text, headers_of(REVALIDATED, allowed=allowed))
    nonce = secrets.token_urlsafe(_NONCE_BYTES)
    headers = headers_of(NOT_STORED, allowed=allowed, style=f"'nonce-{nonce}'")
    return ConsolePage(text.replace(NONCE_PLACEHOLDER, nonce), headers)


def headers_of(cache: str, *, allowed: Iterable[str] = (), style: str = "") -> dict[str, str]:
    """Return the headers of an answer of the console.

    Args:
        cache: the value of `Cache-Control`.
        allowed: addresses whose origins scripts may connect to, in addition to the console's own.
        style: one more source of styles.
    """
    rules = {
        "default-src": "'self'",
        "script-src": "'self'",
        "style-src": f"'self' {style}",
        "img-src": "'self' data:",
        "connect-src": " ".join(["'self'", *sorted(_origins(allowed))]),
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    policy = "; ".join(f"{name} {sources.strip()}" for name, sources in rules.items())
    return {"Cache-Control": cache, "Content-Security-Policy": policy}


def _origins(addresses: Iterable[str]) -> frozenset[str]:
    """Return the origins of addresses. One whose host could be read as another part of the policy is left out."""
    return frozenset(found[1].lower() for found in map(_ORIGIN.match, addresses) if found)
