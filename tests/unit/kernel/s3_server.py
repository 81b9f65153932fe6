"""As much of the S3 protocol as Arrow speaks to read, write, look up and delete objects; it counts requests.

Signatures are not checked, listings are empty, one bucket level is part of the key. Uploads come aws-chunked.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_LISTING = b"<ListBucketResult><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>"


@dataclass
class ObjectStore:
    """Objects by `bucket/key`, and the requests that reached them: (method, `bucket/key`)."""

    url: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)

    @property
    def properties(self) -> dict[str, str]:
        """Return the table properties that lead here."""
        return {
            "s3.endpoint": self.url,
            "s3.access-key-id": "key",
            "s3.secret-access-key": "secret",
            "s3.region": "us-east-1",
        }


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Serve an empty store on a free port."""
    store = ObjectStore()
    handler = type("Handler", (_Handler,), {"store": store})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        store.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield store
        http.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: ObjectStore

    def do_HEAD(self) -> None:
        key, _ = self._asked()
        data = self.store.objects.get(key)
        self._answer(404) if data is None else self._answer(200, length=len(data))

    def do_GET(self) -> None:
        key, query = self._asked()
        if "list-type" in query:
            return self._answer(200, _LISTING)
        if key not in self.store.objects:
            return self._answer(404)
        first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
        return self._answer(206, self.store.objects[key][int(first) : int(last) + 1])

    def do_PUT(self) -> None:
        key, query = self._asked()
        body = self._body()
        if "partNumber" in query:
            self.store.uploads[query["uploadId"][0]][int(query["partNumber"][0])] = body
        else:
            self.store.objects[key] = body
        self._answer(200)

    def do_POST(self) -> None:
        key, query = self._asked()
        self._body()
        if "uploads" in query:
            upload = f"upload-{len(self.store.uploads)}"
            self.store.uploads[upload] = {}
            answer = f"<InitiateMultipartUploadResult><UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
            return self._answer(200, answer.encode())
        parts = self.store.uploads[query["uploadId"][0]]
        self.store.objects[key] = b"".join(parts[number] for number in sorted(parts))
        return self._answer(200, b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")

    def do_DELETE(self) -> None:
        key, _ = self._asked()
        self.store.objects.pop(key, None)
        self._answer(204)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _asked(self) -> tuple[str, dict[str, list[str]]]:
        url = urlsplit(self.path)
        key = unquote(url.path).lstrip("/")
        self.store.requests.append((self.command, key))
        return key, parse_qs(url.query, keep_blank_values=True)

    def _answer(self, status: int, body: bytes = b"", *, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("ETag", '"tag"')
        self.send_header("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            raw = b"".join(self._chunks())
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return _unwrapped(raw) if "aws-chunked" in self.headers.get("Content-Encoding", "") else raw

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()


def _unwrapped(raw: bytes) -> bytes:
    """Return what an aws-chunked body carries: `size CRLF data CRLF` again and again, then trailers."""
    made, at = b"", 0
    while True:
        end = raw.index(b"\r\n", at)
        size = int(raw[at:end].partition(b";")[0], 16)
        if not size:
            return made
        made += raw[end + 2 : end + 2 + size]
        at = end + 4 + size
