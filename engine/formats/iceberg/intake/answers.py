"""Read responses of REST catalogs as a stream up to a size limit, and only if they can be JSON.

A catalog is trusted with its own tables, not with the memory of the process: one endless response, or a small one that
decompresses to a huge size, would take the service down for all teams.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from socket import gaierror
from typing import Any, Final
from urllib.parse import urlsplit

import requests

from engine.formats.iceberg.intake.metadata_files import check_json
from engine.formats.iceberg.intake.newer_types import readable_answer
from engine.formats.intake.limits import METADATA_BYTES, too_large
from engine.outgoing.calls import origin

OTHER_BYTES: Final = 32 * 2**20
"""Limit of an answer that is not a table's metadata: settings, and pages of names."""

_CHUNK_BYTES: Final = 64 * 1024


@contextmanager
def naming_server(url: str, proxy: str | None = None) -> Iterator[None]:
    """Run a block whose errors of `requests` name the server, and the reason in words if it could not be reached.

    `proxy`: the address of the one that the calls go through.
    """
    try:
        yield
    except requests.RequestException as error:
        server, text = origin(url), str(error)
        broken = getattr(error.args[0], "reason", None) if error.args else None
        cause = getattr(broken, "original_error", None) or getattr(broken, "__cause__", None)
        named = server if proxy is None else f"{server} (through the proxy {urlsplit(proxy).netloc.rpartition('@')[2]})"
        if isinstance(cause, Exception):  # urllib3's text has the names of classes
            never = isinstance(cause, ConnectionRefusedError | gaierror)
            text = f"{named} did not answer: {cause}{'; if that server runs, check `uri`' if never else ''}"
        elif proxy is None and server.rpartition("/")[2].partition(":")[0] in text:
            raise
        else:
            text = f"{named}: {text}"
        raise type(error)(text, request=error.request, response=error.response) from error


def read_answer(response: requests.Response, **_options: Any) -> None:
    """Read the body of a response (a session hook), so that `response.content` is available without a request.

    Raises:
        Malformed: the body is larger than the limit for table metadata, or for other answers.
        RequestException: it is compressed more than once, or a success that is not JSON, as from a proxy.
    """
    server = f"the catalog at {origin(response.url)}"
    encoding = response.headers.get("content-encoding", "")
    if "," in encoding:
        response.close()
        raise requests.RequestException(f"{server} compresses its answer more than once ({encoding[:80]})")
    most = METADATA_BYTES if "/tables/" in response.url else OTHER_BYTES
    parts, room = list[bytes](), most
    with naming_server(response.url):
        for part in response.iter_content(_CHUNK_BYTES):
            room -= len(part)
            if room < 0:
                response.close()
                raise too_large(f"the answer of {server} has", "", most)
            parts.append(part)
    body = b"".join(parts)
    response._content = body  # noqa: SLF001 - where `response.content` stores it
    if response.ok and body and body.lstrip()[:1] not in (b"{", b"["):
        kind = response.headers.get("content-type", "no content type")
        raise requests.RequestException(
            f"the answer of {server} is not JSON ({kind[:80]}): something other than a catalog sent it"
        )
    check_json(body)
    if response.ok and response.request.method == "POST" and most == METADATA_BYTES:
        response._content = readable_answer(body)[0]  # noqa: SLF001 - PyIceberg parses what a commit answers
