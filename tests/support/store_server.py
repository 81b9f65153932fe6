"""A store in memory with a set latency, for measurements and faults: one asyncio server, in a process of its own.

It serves what Arrow, obstore and Iceberg's S3FileIO ask of S3, and what obstore asks of the XML API of Google Cloud
Storage (no emulator that a registry has takes its PUT): GET and HEAD (with ranges), PUT (with `If-None-Match: *` or
`x-goog-if-generation-match: 0`), DELETE of one or many, uploads of parts, and lists. It checks no signature:
`s3_server` has real semantics, this one is fast. Settings and counts go through `/-/control`.
"""

import asyncio
import contextlib
import hashlib
import json
import random
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import Request, urlopen
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

BUCKET = "lake"
CONTROL = "/-/control"
_METADATA = ("x-amz-meta-", "x-goog-meta-")
Answer = tuple[int, bytes, dict[str, str]]
"""Status, body and headers."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How the server behaves. `latency`: seconds to the first byte; shares are of requests for objects.

    `busy`: answered 503. `resets`: the connection ends without an answer, after the request was carried out. `short`:
    half of the body, then the connection ends. `hangs`: no answer at all. `lost`: so many next requests are carried out
    and not answered. `cut`: of an upload of parts the last is lost, and it is confirmed all the same. `expired`: keys
    and tokens that are refused as S3 and Google refuse them. `locked`: objects whose keys begin so can't be deleted.
    """

    latency: float = 0.0
    busy: float = 0.0
    resets: float = 0.0
    short: float = 0.0
    hangs: float = 0.0
    lost: int = 0
    cut: bool = False
    expired: tuple[str, ...] = ()
    locked: str = ""


@dataclass
class Store:
    """The objects and what was asked for."""

    objects: dict[str, bytes] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    begun: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    manners: Manners = field(default_factory=Manners)
    at_once: int = 0
    most_at_once: int = 0

    def control(self, body: bytes) -> bytes:
        """Change the manners, forget the counts if asked to, and return them as they were."""
        given = json.loads(body or b"{}")
        told = json.dumps({"asked": dict(self.asked), "most_at_once": self.most_at_once, "uploads": len(self.uploads),
                           "keys": sorted(self.objects) if given.get("keys") else []})  # fmt: skip
        self.manners = replace(self.manners, **given.get("manners", {}))
        if given.get("forget"):
            self.asked.clear()
            self.most_at_once = self.at_once
        return told.encode()

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Carry out one request and return status, body and headers."""
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        if not key:
            return self._of_bucket(method, query, body)
        if "uploads" in query or "uploadId" in query:
            return self._of_upload(method, f"{bucket}/{key}", query, headers, _decoded(headers, body))
        if method == "PUT":
            return self._put(key, headers, body)
        if method == "DELETE":
            if self.manners.locked and key.startswith(self.manners.locked):
                return 403, _error("AccessDenied"), {}
            self.objects.pop(key, None)
            return 204, b"", {}
        return self._get(key, headers)

    def _put(self, key: str, headers: Mapping[str, str], body: bytes) -> Answer:
        is_new = headers.get("if-none-match") == "*" or headers.get("x-goog-if-generation-match") == "0"
        if is_new and key in self.objects:
            return 412, _error("PreconditionFailed"), {}
        self.objects[key] = _decoded(headers, body)
        self.metadata[key] = {name: value for name, value in headers.items() if name.startswith(_METADATA)}
        return 200, b"", {"ETag": _etag(self.objects[key]), "x-goog-generation": "1"}

    def _get(self, key: str, headers: Mapping[str, str]) -> Answer:
        if key not in self.objects:
            return 404, _error("NoSuchKey"), {}
        data = self.objects[key]
        told = {"ETag": '"x"', "Last-Modified": "Mon, 23 Nov 2026 00:00:00 GMT", "Accept-Ranges": "bytes"}
        told |= self.metadata.get(key, {})
        if "range" not in headers:
            return 200, data, told
        first, _, last = headers["range"].removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(len(data) - 1, int(last)) if first and last else len(data) - 1
        if start >= len(data):
            return 416, _error("InvalidRange"), {}
        return 206, data[start : end + 1], told | {"Content-Range": f"bytes {start}-{end}/{len(data)}"}

    def _of_upload(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> Answer:
        upload = query.get("uploadId", "")
        if method == "POST" and "uploads" in query:
            upload = f"u{random.getrandbits(60)}"
            self.uploads[upload] = {}
            self.begun[upload] = {name: value for name, value in headers.items() if name.startswith(_METADATA)}
            bucket, _, key = path.partition("/")
            return 200, _xml(f"<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{escape(key)}</Key>"
                             f"<UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"), {}  # fmt: skip
        if method == "PUT":
            self.uploads[upload][int(query["partNumber"])] = body
            return 200, b"", {"ETag": _etag(body)}
        parts = self.uploads.pop(upload, None)
        if method == "DELETE":
            return 204, b"", {}
        if parts is None:  # completed before, and the answer was lost
            return 404, _error("NoSuchUpload"), {}
        key = path.partition("/")[2]
        self.objects[key] = b"".join(parts[number] for number in sorted(parts)[: -1 if self.manners.cut else None])
        self.metadata[key] = self.begun.pop(upload)
        return 200, _xml('<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>'), {}

    def _deleted(self, key: str) -> str:
        """Delete one of many objects and return its part of the answer."""
        if self.manners.locked and key.startswith(self.manners.locked):
            return f"<Error><Key>{escape(key)}</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        self.objects.pop(key, None)
        return f"<Deleted><Key>{escape(key)}</Key></Deleted>"

    def _of_bucket(self, method: str, query: Mapping[str, str], body: bytes) -> Answer:
        if method == "POST":
            keys = [each.text or "" for each in ET.fromstring(body).iter() if each.tag.endswith("Key")]
            return 200, _xml(f"<DeleteResult>{''.join(map(self._deleted, keys))}</DeleteResult>"), {}
        if method != "GET":
            return 200, b"", {}
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter")
        keys = [key for key in sorted(self.objects) if key.startswith(prefix)]
        found = "".join(
            f'<Contents><Key>{escape(key)}</Key><Size>{len(self.objects[key])}</Size><ETag>"x"</ETag>'
            "<LastModified>2026-11-23T00:00:00.000Z</LastModified></Contents>"
            for key in keys
            if delimiter is None or delimiter not in key[len(prefix) :]
        )
        deeper = [key for key in keys if delimiter is not None and delimiter in key[len(prefix) :]]
        folders = {key[: key.index(delimiter or "", len(prefix)) + 1] for key in deeper}
        found += "".join(
            f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in sorted(folders)
        )
        return 200, _xml(f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>"), {}


def _decoded(headers: Mapping[str, str], body: bytes) -> bytes:
    """Return a body without the chunk signatures of `aws-chunked`."""
    if "aws-chunked" not in headers.get("content-encoding", "") and "x-amz-decoded-content-length" not in headers:
        return body
    plain, at = [], 0
    while True:
        end = body.index(b"\r\n", at)
        size = int(body[at:end].partition(b";")[0], 16)
        if not size:
            return b"".join(plain)
        plain.append(body[end + 2 : end + 2 + size])
        at = end + 4 + size


def _etag(data: bytes) -> str:
    return f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'


def _error(code: str) -> bytes:
    return _xml(f"<Error><Code>{code}</Code><Message>{code}</Message></Error>")


def _xml(text: str) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()


class _Connection:
    """Serves one connection."""

    def __init__(self, store: Store, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._store, self._reader, self._writer = store, reader, writer

    async def serve(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, _EndOfConnectionError):
            while True:
                await self._one()
        self._writer.close()

    async def _one(self) -> None:
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if headers.get("expect") == "100-continue":
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await self._body(headers)
        if target.startswith(CONTROL):
            self._send(method, 200, self._store.control(body), {})
        else:
            await self._object(method, target, headers, body)
        await self._writer.drain()

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self._reader.readexactly(int(headers.get("content-length") or 0))
        pieces = []
        while size := int((await self._reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            pieces.append(await self._reader.readexactly(size))
            await self._reader.readexactly(2)
        await self._reader.readuntil(b"\r\n")
        return b"".join(pieces)

    async def _object(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> None:
        store, manners = self._store, self._store.manners
        store.asked[f"{method} {_kind(target)}".strip()] += 1
        store.at_once += 1
        store.most_at_once = max(store.most_at_once, store.at_once)
        try:
            if manners.latency:
                await asyncio.sleep(manners.latency)
            if random.random() < manners.hangs:
                await asyncio.sleep(3600)
            if random.random() < manners.busy:
                self._send(method, 503, _error("SlowDown"), {})
                return
            if _key_of(headers) in manners.expired:
                is_of_google = headers["authorization"].startswith("Bearer ")
                self._send(method, 401 if is_of_google else 400, _error("ExpiredToken"), {})
                return
            status, answer, told = store.answer(method, target, headers, body)
            if manners.lost:
                store.manners = replace(store.manners, lost=store.manners.lost - 1)
            if manners.lost or random.random() < manners.resets:
                raise _EndOfConnectionError
            self._send(method, status, answer, told, is_short=random.random() < manners.short)
        finally:
            store.at_once -= 1

    def _send(
        self, method: str, status: int, body: bytes, headers: Mapping[str, str], *, is_short: bool = False
    ) -> None:
        told = {"Content-Length": str(len(body)), "Connection": "keep-alive"} | headers
        head = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        self._writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode())
        if method == "HEAD":
            return
        if is_short and body:
            self._writer.write(body[: len(body) // 2])
            raise _EndOfConnectionError
        self._writer.write(body)


class _EndOfConnectionError(Exception):
    """Raised to end a connection."""


def _key_of(headers: Mapping[str, str]) -> str:
    """Return the access key or token of a request; empty for an anonymous one."""
    text = headers.get("authorization", "")
    return (
        text.removeprefix("Bearer ")
        if text.startswith("Bearer ")
        else text.partition("Credential=")[2].partition("/")[0]
    )


def _kind(target: str) -> str:
    query = parse_qs(urlsplit(target).query, keep_blank_values=True)
    return next((name for name in ("uploads", "partNumber", "uploadId", "delete", "list-type") if name in query), "")


def _run(listener: socket.socket) -> None:
    store = Store()

    async def main() -> None:
        server = await asyncio.start_server(
            lambda reader, writer: _Connection(store, reader, writer).serve(), sock=listener, limit=2**20
        )
        await server.serve_forever()

    asyncio.run(main())


@dataclass
class StoreServer:
    """A running server."""

    url: str

    def control(self, **given: Any) -> dict[str, Any]:
        """Return the counts; change `manners`, and `forget` the counts."""
        manners = {"manners": asdict(given.pop("manners"))} if "manners" in given else {}
        request = Request(f"{self.url}{CONTROL}", data=json.dumps(given | manners).encode(), method="POST")
        with urlopen(request) as answer:
            told: dict[str, Any] = json.load(answer)
        return told

    def properties(self) -> dict[str, str]:
        """Return the properties of a catalog whose tables lie here."""
        return {"s3.endpoint": self.url, "s3.region": "us-east-1", "s3.access-key-id": "key",
                "s3.secret-access-key": "secret"}  # fmt: skip

    def google_properties(self, token: str = "token") -> dict[str, str]:
        """Return the properties of a catalog whose tables lie here, as in Google Cloud Storage."""
        return {"gcs.service.host": self.url, "gcs.oauth2.token": token}

    def put(self, key: str, data: bytes) -> None:
        """Store an object."""
        with urlopen(Request(f"{self.url}/{BUCKET}/{key}", data=data, method="PUT")):
            return


@contextmanager
def store_server() -> Iterator[StoreServer]:
    """Serve from another process until the block ends."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(512)
        command = [sys.executable, "-m", "tests.support.store_server", str(listener.fileno())]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], cwd=Path(__file__).parents[2])
        try:
            yield StoreServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    _run(socket.socket(fileno=int(sys.argv[1])))
