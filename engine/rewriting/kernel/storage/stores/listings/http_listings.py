"""List objects by the stores' own HTTP interfaces, page by page, within limits of bytes, time and pages.

For credentials that the properties have; those of the machine are not known here. `obstore` can't express all names,
collects the pages of one folder without a limit, and reads any XML and HTML as a listing of nothing.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import partial
from time import monotonic, sleep
from typing import Any, Final
from urllib.parse import unquote, unquote_plus
from xml.etree import ElementTree as ET

from engine.outgoing.bounds import CallLimits, CheckPeer, any_peer
from engine.outgoing.calls import CallFailed, Unacceptable, origin, send
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned
from engine.rewriting.kernel.storage.answers import StoreError, patience, waits
from engine.rewriting.kernel.storage.stores.clients import Connection
from engine.rewriting.kernel.storage.stores.listings.list_requests import REQUESTS, Query
from engine.rewriting.kernel.storage.stores.object_errors import UnclearName
from engine.uris import schemes

_SECONDS: Final = 60.0
_LARGEST: Final = 8 * 2**20
"""Limit of a page: its names take up to 3 KB each, percent-encoded."""
_MOST_TAGS: Final = 200_000
"""Limit of the tags of a page; Azure has up to 80 for each object."""
_MOST_PAGES: Final = 100_000
"""Limit of a listing: the files of the largest search for orphans, with pages that are half empty."""
_MOST_NAMES_BYTES: Final = 192 * 2**20
"""Limit of the names directly in a folder, which callers hold at once: a million of them."""
_NAME_BYTES: Final = 64
"""Memory of a name in addition to its characters."""
_REPETITIONS: Final = 5
_PATIENT_SECONDS: Final = 15.0
"""Most repetitions of the request for a page, and seconds from the first one on, as by `obstore` (`objects`)."""

_ROOTS: Final = ("ListBucketResult", "EnumerationResults")
_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
"""Variables that lead `obstore` to another server than that of the properties."""
_CODE: Final = re.compile(rb"<Code>(\w{1,60})</Code>")
_UNCLEAR: Final = re.compile(r"\.{0,2}|.*[\x00-\x1f\x7f].*", re.DOTALL)
"""Names of folders that no path leads to by every client."""

Row = tuple[str, int, int]
"""Path, size, and time in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class _Page:
    """Objects, folders (common beginnings of names, with a slash at the end), and the query for the next page."""

    rows: list[Row]
    folders: list[str]
    following: Query


class HttpListing:
    """The names of the objects of one bucket or container, exactly as its store has them."""

    def __init__(
        self,
        ask: Callable[[Query], tuple[str, ET.Element]],
        read: Callable[[ET.Element], _Page],
        *,
        is_patient: bool,
    ) -> None:
        """Take functions that return the server and its answer to a request for a page, and what is in the answer."""
        self._ask = ask
        self._read = read
        self._repetitions = _REPETITIONS if is_patient else 0

    def listed(self, folder: str, after: str | None = None) -> Iterator[dict[str, list[Any]]]:
        """Yield pages of the paths, sizes and times (microseconds since 1970) of all files below a folder; none empty.

        Markers of folders, whose names end with a slash, are left out. `after`: only paths that follow it, not in
        Azure. Raises StoreError.
        """
        for _, page in self._pages({"prefix": _prefix(folder), **({"start-after": after} if after else {})}):
            rows = [row for row in page.rows if row[0] > (after or "") and not row[0].endswith("/")]
            if rows:
                paths, sizes, times = map(list, zip(*rows, strict=True))
                yield {"path": paths, "size": sizes, "modified_us": times}

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder; without `is_recursive` only those directly in it.

        Raises StoreError.
        """
        if is_recursive:
            for listed in self.listed(folder):
                yield from listed["path"]
            return
        start = len(_prefix(folder))
        for page in self._directly(folder):
            yield from (path for path, _, _ in page.rows if path[start:] and "/" not in path[start:])

    def folders(self, folder: str) -> Iterator[str]:
        """Yield the paths of the folders directly in a folder. Raises StoreError, and `UnclearName` as `obstore`."""
        start = len(_prefix(folder))
        for page in self._directly(folder):
            for path in page.folders:
                if _UNCLEAR.fullmatch(path[start:-1]):
                    raise UnclearName(f"the folder {path!r} has a name that can't be addressed")
                yield path[:-1]

    def _directly(self, folder: str) -> Iterator[_Page]:
        """Yield pages of what is directly in a folder. Raises StoreError for more names than callers can hold."""
        held = 0
        for server, page in self._pages({"prefix": _prefix(folder), "delimiter": "/"}):
            names = [*page.folders, *(path for path, _, _ in page.rows)]
            held += sum(map(len, names)) + _NAME_BYTES * len(names)
            if held > _MOST_NAMES_BYTES:
                most = f"{_MOST_NAMES_BYTES // 2**20} MiB of names"
                raise StoreError(f"{server} lists more than {most} directly in {folder!r}: delete unused files")
            yield page

    def _pages(self, query: Query) -> Iterator[tuple[str, _Page]]:
        more: Query = {}
        for _ in range(_MOST_PAGES):
            stop_if_abandoned()
            server, root = self._answer({**query, **more})
            try:
                page = self._read(root)
            except (ValueError, OverflowError) as error:
                raise StoreError(f"the answer of {server} to a listing is malformed: {str(error)[:200]}") from error
            yield server, page
            if not page.following:
                return
            more = page.following
        raise StoreError(f"{server} lists more than {_MOST_PAGES} pages below {query['prefix']!r}, which is the limit")

    def _answer(self, query: Query) -> tuple[str, ET.Element]:
        """Return a page, which is asked for again while the store is busy or does not answer. Raises StoreError."""
        begun, pauses = monotonic(), waits()
        for _ in range(self._repetitions):
            try:
                return self._ask(query)
            except StoreError as error:
                if not patience(error) or monotonic() - begun > _PATIENT_SECONDS:
                    raise
            sleep(next(pauses))
            stop_if_abandoned()
        return self._ask(query)


def listing_of(
    kind: str,
    bucket: str,
    connection: Connection,
    *,
    renewed: Callable[[], Connection] | None = None,
    check_peer: CheckPeer = any_peer,
    is_patient: bool = False,
) -> HttpListing | None:
    """Return the listing of a bucket or container; None without credentials in the properties of its connection.

    Args:
        kind: of object stores, as in `addresses`.
        bucket: the bucket or container.
        connection: how it is reached.
        renewed: returns that for each request, with renewed credentials; None: they are not renewed.
        check_peer: raises for an address that must not be connected to; its errors pass unchanged.
        is_patient: a request that finds the store busy is sent again for some seconds.
    """
    is_led_elsewhere = kind == schemes.S3 and not connection.endpoint and any(map(os.environ.get, _ENDPOINTS))
    if not connection.is_complete or is_led_elsewhere:
        return None

    def ask(query: Query) -> tuple[str, ET.Element]:
        present = connection if renewed is None else renewed()
        return _answer(*REQUESTS[kind](bucket, present, query), present.client, check_peer)

    return HttpListing(ask, _READERS[kind], is_patient=is_patient)


def _prefix(folder: str) -> str:
    return f"{folder.strip('/')}/" if folder.strip("/") else ""


def _answer(
    url: str, headers: Mapping[str, str], client: Mapping[str, Any], check_peer: CheckPeer
) -> tuple[str, ET.Element]:
    """Return a server and its page of a listing; no redirect is followed, which would take the credentials elsewhere.

    Raises:
        StoreError: the store refuses, or has no answer within the limits.
    """
    server = origin(url)
    silent = client["read_timeout"].total_seconds()
    limits = CallLimits(_SECONDS, _LARGEST, client["connect_timeout"].total_seconds(), silent)
    try:
        answer = send("GET", url, limits=limits, headers=headers, check_peer=check_peer, by_proxy=True,
                      proxy=client.get("proxy_url"), certificates=client.get("root_certificate"))  # fmt: skip
    except Unacceptable as error:
        raise StoreError(f"the answer to a listing is refused: {error}") from error
    except CallFailed as error:
        raise StoreError(f"error sending request for a listing: {error}") from error
    if answer.status != 200:  # noqa: PLR2004
        code = _CODE.search(answer.body)
        reason = f" {code[1].decode('ascii', 'replace')}" if code else ""
        raise StoreError(f"listing objects of {server} failed, status code: {answer.status}{reason}")
    if answer.body.count(b"<") > _MOST_TAGS:
        raise StoreError(f"the answer of {server} to a listing has more than {_MOST_TAGS} tags")
    try:
        root = ET.fromstring(answer.body)  # noqa: S314 - bounded
    except ET.ParseError as error:
        raise StoreError(f"the answer of {server} to a listing is not XML: {error}") from error
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]  # without its namespace
    if root.tag not in _ROOTS:  # such as the page of a proxy, which would be an empty listing
        raise StoreError(
            f"{server} answers a listing with the document {root.tag[:40]!r}, which is not a listing: the endpoint is "
            "not a store, or a proxy answers in its place; correct the endpoint in the catalog's properties"
        )
    return server, root


def _of_bucket(root: ET.Element, *, decoded: Callable[[str], str]) -> _Page:
    """Return a page of S3 or Google Cloud Storage. Raises ValueError, OverflowError."""
    name_of = decoded if root.findtext("EncodingType") == "url" else str
    rows = []
    for each in root.iter("Contents"):
        at = datetime.fromisoformat(each.findtext("LastModified", ""))
        rows.append((name_of(each.findtext("Key", "")), int(each.findtext("Size", "")), _microseconds(at)))
    folders = [name_of(each.text or "") for each in root.iterfind("CommonPrefixes/Prefix")]
    if root.findtext("IsTruncated") != "true":
        return _Page(rows, folders, {})
    if not (token := root.findtext("NextContinuationToken")):
        raise ValueError("it is truncated, without a token for the next page")
    return _Page(rows, folders, {"continuation-token": token})


def _of_azure(root: ET.Element) -> _Page:
    """Return a page of Azure. Raises ValueError, OverflowError."""
    rows = []
    for each in root.iter("Blob"):
        if each.findtext("Properties/ResourceType") == "directory":  # of an account with a hierarchical namespace
            continue
        at = parsedate_to_datetime(each.findtext("Properties/Last-Modified", ""))
        rows.append((_blob_name(each), int(each.findtext("Properties/Content-Length", "")), _microseconds(at)))
    marker = root.findtext("NextMarker")
    folders = [_blob_name(each) for each in root.iter("BlobPrefix")]
    return _Page(rows, folders, {"marker": marker} if marker else {})


def _microseconds(at: datetime) -> int:
    return int(at.timestamp() * 1e6)


def _blob_name(blob: ET.Element) -> str:
    name = blob.find("Name")
    if name is None:
        raise ValueError("a blob has no name")
    return unquote(name.text or "") if name.get("Encoded") == "true" else name.text or ""


_READERS: Final[Mapping[str, Callable[[ET.Element], _Page]]] = {
    schemes.S3: partial(_of_bucket, decoded=unquote_plus),
    schemes.GOOGLE: partial(_of_bucket, decoded=unquote),
    schemes.AZURE: _of_azure,
}
