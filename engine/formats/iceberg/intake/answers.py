"""Read responses of REST catalogs as a stream up to a size limit, and only if they can be JSON.

A catalog is trusted with its own tables, not with the memory of the process: one endless response, or a small one that
decompresses to a huge size, would take the service down for all teams.
"""

from typing import Any, Final

import requests

from engine.formats.iceberg.intake.metadata_files import check_json
from engine.formats.intake.limits import METADATA_BYTES, too_large

_CHUNK_BYTES: Final = 64 * 1024


def read_answer(response: requests.Response, **_options: Any) -> None:
    """Read the body of a response (a session hook), so that `response.content` is available without a request.

    Raises:
        Malformed: the body is larger than the limit for table metadata.
        RequestException: it is compressed more than once, or a success that is not JSON, as from a proxy.
    """
    encoding = response.headers.get("content-encoding", "")
    if "," in encoding:
        response.close()
        raise requests.RequestException(f"the answer is compressed more than once ({encoding[:80]})")
    parts, room = list[bytes](), METADATA_BYTES
    for part in response.iter_content(_CHUNK_BYTES):
        room -= len(part)
        if room < 0:
            response.close()
            raise too_large("the catalog's answer has", "", METADATA_BYTES)
        parts.append(part)
    body = b"".join(parts)
    response._content = body  # noqa: SLF001 - where `response.content` stores it
    if response.ok and body and body.lstrip()[:1] not in (b"{", b"["):
        kind = response.headers.get("content-type", "no content type")
        raise requests.RequestException(f"the answer is not JSON ({kind[:80]}): something other than a catalog sent it")
    check_json(body)
