"""HTTP requests of a task to the service, with only the standard library."""

import urllib.request
from collections.abc import Callable
from typing import Final

TIMEOUT_SECONDS: Final = 2.0

Post = Callable[[str, dict[str, str], bytes], bytes]
"""(url, headers, body) → body of the response; raises OSError (or ValueError) unless the request succeeds."""


def http_post(url: str, headers: dict[str, str], body: bytes, timeout: float = TIMEOUT_SECONDS) -> bytes:
    """Post with urllib without a proxy, as the service is inside the network. Raises OSError."""
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url}: the pace channel is an http or https URL")
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")  # noqa: S310 - scheme checked
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=timeout) as answer:
        return bytes(answer.read())
