"""List objects by the stores' own HTTP interfaces, for names that `obstore` can't express.

For Google Cloud Storage and Azure, with credentials that the properties have; those of the machine are not known here.
S3 is listed by Arrow, which ends the process for some answers of Azure.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from typing import Any, Final
from urllib.parse import quote, unquote, urlencode, urlsplit
from xml.etree import ElementTree as ET

from engine.outgoing.bounds import CheckPeer, Limits, any_peer
from engine.outgoing.calls import CallFailed, origin, send
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.stores import azure, google

_GOOGLE: Final = "https://storage.googleapis.com"
_VERSION: Final = "2020-12-06"
_SECONDS: Final = 30.0
_LARGEST: Final = 8 * 2**20
"""Limit of a page: its names take up to 3 KB each, percent-encoded."""
_MOST_TAGS: Final = 200_000
"""Limit of the tags of a page; Azure has up to 80 for each object."""
_PAGE: Final = 1000
_ROOTS: Final = ("ListBucketResult", "EnumerationResults")

Query = Mapping[str, str]
Request = tuple[str, Mapping[str, str]]
"""An address and headers."""
Row = tuple[str, int, datetime]


class HttpListing:
    """The names of the objects of one bucket or container, exactly as its store has them.

    `check_peer` raises for an address that must not be connected to; its errors pass unchanged.
    """

    check_peer: CheckPeer = staticmethod(any_peer)

    def __init__(
        self,
        request: Callable[[Query], Request],
        read: Callable[[ET.Element], tuple[list[Row], Query]],
    ) -> None:
        """Take functions that make a request for a page, and that return its objects and the query for the next."""
        self._request = request
        self._read = read

    def listed(self, folder: str) -> Iterator[dict[str, list[Any]]]:
        """Yield pages of the paths, sizes and times (microseconds since 1970) of all files below a folder.

        Markers of folders, whose names end with a slash, are left out. Raises StoreError.
        """
        prefix, more = {"prefix": f"{folder.strip('/')}/"}, dict[str, str]()
        while True:
            stop_if_abandoned()
            rows, following = self._read(_answer(self._request({**prefix, **more}), self.check_peer))
            rows = [row for row in rows if not row[0].endswith("/")]
            times = [int(row[2].timestamp() * 1e6) for row in rows]
            yield {"path": [row[0] for row in rows], "size": [row[1] for row in rows], "modified_us": times}
            if not following:
                return
            more = dict(following)

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder; without `is_recursive` only those directly in it."""
        start = len(folder.strip("/")) + 1
        for page in self.listed(folder):
            yield from (path for path in page["path"] if is_recursive or "/" not in path[start:])


def of_google(bucket: str, properties: Mapping[str, str]) -> HttpListing | None:
    """Return the listing of a bucket in Google Cloud Storage; None without a token in the properties."""
    connection = google.connection(bucket, properties)
    config = connection.config
    if "bearer_token" not in config and not config.get("skip_signature"):
        return None
    headers = {**connection.client.get("default_headers", {})}
    if "bearer_token" in config:
        headers["Authorization"] = f"Bearer {config['bearer_token']}"

    def request(query: Query) -> Request:
        asked = urlencode({"list-type": "2", "max-keys": str(_PAGE), "encoding-type": "url", **query})
        return f"{config.get('base_url', _GOOGLE)}/{quote(bucket)}?{asked}", headers

    return HttpListing(request, _of_google)


def of_azure(place: str, properties: Mapping[str, str]) -> HttpListing | None:
    """Return the listing of a container in Azure; None without a key, token or signature in the properties."""
    config = azure.connection(place, properties).config
    container = place.partition("@")[0]
    if not {"sas_key", "account_key", "token", "skip_signature"} & config.keys():
        return None

    def request(query: Query) -> Request:
        asked = {"restype": "container", "comp": "list", "maxresults": str(_PAGE), **query}
        url, signed = f"{config['endpoint']}/{quote(container)}", config.get("sas_key", "")
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": _VERSION}
        if "account_key" in config:
            headers["Authorization"] = _shared_key(config["account_name"], config["account_key"], url, asked, headers)
        elif "token" in config:
            headers["Authorization"] = f"Bearer {config['token']}"
        return f"{url}?{urlencode(asked)}{f'&{signed}' if signed else ''}", headers

    return HttpListing(request, _of_azure)


def _shared_key(account: str, key: str, url: str, query: Query, headers: Mapping[str, str]) -> str:
    """Return the authorization of a GET by the key of an account, as Azure documents `Shared Key`."""
    named = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
    resource = f"/{account}{urlsplit(url).path}" + "".join(f"\n{name}:{query[name]}" for name in sorted(query))
    text = "GET" + "\n" * 12 + named + resource
    digest = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
    return f"SharedKey {account}:{base64.b64encode(digest).decode()}"


def _answer(request: Request, check_peer: CheckPeer) -> ET.Element:
    """Return a page of a listing; no redirect is followed, which would take the credentials elsewhere.

    Raises:
        StoreError: the store refuses, or has no answer within the limits.
    """
    url, headers = request
    try:
        limits = Limits(_SECONDS, _LARGEST)
        answer = send("GET", url, limits=limits, headers=headers, check_peer=check_peer, by_proxy=True)
    except CallFailed as error:
        raise StoreError(f"error sending request for a listing: {error}") from error
    if answer.status != 200:  # noqa: PLR2004
        raise StoreError(f"listing objects of {origin(url)} failed, status code: {answer.status}")
    if answer.body.count(b"<") > _MOST_TAGS:
        raise StoreError(f"the answer of {origin(url)} to a listing has more than {_MOST_TAGS} tags")
    try:
        root = ET.fromstring(answer.body)  # noqa: S314 - bounded
    except ET.ParseError as error:
        raise StoreError(f"the answer of {origin(url)} to a listing is no XML: {error}") from error
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]  # without its namespace
    if root.tag not in _ROOTS:  # such as the page of a proxy, which would be an empty listing
        raise StoreError(f"the answer of {origin(url)} to a listing is a {root.tag[:40]!r}")
    return root


def _of_google(root: ET.Element) -> tuple[list[Row], Query]:
    is_encoded = root.findtext("EncodingType") == "url"
    rows = []
    for each in root.iter("Contents"):
        name = each.findtext("Key", "")
        at = datetime.fromisoformat(each.findtext("LastModified", ""))
        rows.append((unquote(name) if is_encoded else name, int(each.findtext("Size", "")), at))
    token = root.findtext("NextContinuationToken") if root.findtext("IsTruncated") == "true" else None
    return rows, {"continuation-token": token} if token else {}


def _of_azure(root: ET.Element) -> tuple[list[Row], Query]:
    rows = []
    for each in root.iter("Blob"):
        name = each.find("Name")
        if name is None:
            continue
        text = name.text or ""
        at = parsedate_to_datetime(each.findtext("Properties/Last-Modified", "")).astimezone(UTC)
        size = int(each.findtext("Properties/Content-Length", ""))
        rows.append((unquote(text) if name.get("Encoded") == "true" else text, size, at))
    marker = root.findtext("NextMarker")
    return rows, {"marker": marker} if marker else {}
