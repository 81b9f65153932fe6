"""An S3 server on loopback (moto's, in memory) that counts what it is asked and lets access keys expire."""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs
from urllib.request import urlopen

import boto3
import pyarrow.fs as pafs
import pytest
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

BUCKET = "lake"
_EXPIRED = b"<?xml version='1.0'?><Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>"
_FORBIDDEN = (
    b"<?xml version='1.0'?><Error><Code>InvalidAccessKeyId</Code><Message>The AWS Access Key Id you provided does not "
    b"exist in our records.</Message></Error>"
)
_AWAY = b"<?xml version='1.0'?><Error><Code>ServiceUnavailable</Code><Message>Try again later.</Message></Error>"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: method, key (without the bucket), kind, whether for a range of bytes only, and who signed it."""

    method: str
    key: str
    kind: str
    is_ranged: bool = False
    access_key: str = ""

    @property
    def is_of_data_file(self) -> bool:
        """Whether it asks for a Parquet file."""
        return self.key.endswith(".parquet")


@dataclass
class S3Server:
    """The server; `asked` lists requests in order, requests with a key in `expired` or `forbidden` are refused.

    `forbidden_keys`: objects that no client may read, although they are listed.

    `is_away`: every request is answered 503. `lost`: keys of which the next PUT is carried out and answered 500.
    Without `has_conditions` it ignores `If-None-Match`, as some stores do.
    """

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    expired: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)
    forbidden_keys: set[str] = field(default_factory=set)
    is_away: bool = False
    lost: set[str] = field(default_factory=set)
    has_conditions: bool = True
    refused: int = 0
    on_request: Callable[[Asked], None] = lambda _: None

    @contextmanager
    def running(self) -> Iterator["S3Server"]:
        """Serve, with one bucket, until the block ends."""
        server = make_server("127.0.0.1", 0, self._app(), threaded=True, request_handler=_Silent)
        self.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=lambda: server.serve_forever(poll_interval=0.02))
        thread.start()
        try:
            urlopen(f"{self.url}/moto-api/reset", data=b"").close()  # the store is one for the whole process
            self.file_system().create_dir(BUCKET)
            self.asked.clear()
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def file_system(self) -> pafs.S3FileSystem:
        """Look into the bucket with a key of our own."""
        return pafs.S3FileSystem(
            access_key="watcher", secret_key="x", endpoint_override=self.url, region="us-east-1",
            allow_bucket_creation=True,
        )  # fmt: skip

    def properties(self, key: str, secret: str) -> dict[str, str]:
        """Return the properties of a catalog whose tables lie here."""
        return {"s3.endpoint": self.url, "s3.region": "us-east-1", "s3.access-key-id": key,
                "s3.secret-access-key": secret}  # fmt: skip

    def put(self, key: str, data: bytes) -> None:
        """Store an object."""
        with self.file_system().open_output_stream(f"{BUCKET}/{key}", compression=None) as stream:
            stream.write(data)

    def put_exactly(self, key: str, data: bytes) -> None:
        """Store an object under any name, also one that file systems can't express."""
        keys = {"aws_access_key_id": "watcher", "aws_secret_access_key": "x", "region_name": "us-east-1"}
        boto3.client("s3", endpoint_url=self.url, **keys).put_object(Bucket=BUCKET, Key=key, Body=data)

    def get(self, key: str) -> bytes:
        """Return what an object holds."""
        with self.file_system().open_input_file(f"{BUCKET}/{key}") as stored:
            return bytes(stored.read())

    def stored(self) -> set[str]:
        """Return the keys of all objects."""
        return set(self.sizes())

    def sizes(self) -> dict[str, int]:
        """Return the sizes of all objects by key."""
        found = self.file_system().get_file_info(pafs.FileSelector(BUCKET, recursive=True))
        return {each.path.removeprefix(f"{BUCKET}/"): each.size for each in found if each.type == pafs.FileType.File}

    def grow_old(self, at: datetime) -> None:
        """Make every object as old as an instant: the server has no request for that."""
        for account in s3_backends.values():
            for backend in account.values():
                for key in backend.buckets[BUCKET].keys.values() if BUCKET in backend.buckets else ():
                    key.last_modified = at

    def kinds(self) -> Counter[str]:
        """Count requests for data files by kind."""
        return Counter(each.kind for each in self.asked if each.is_of_data_file)

    def _app(self) -> Any:
        inner, lock, writing = DomainDispatcherApplication(create_backend_app), Lock(), Lock()

        def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            asked = _read(environ)
            with lock:
                self.asked.append(asked)
            self.on_request(asked)
            if (refusal := self._refusal(asked)) is not None:
                self.refused += 1
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                status, body = refusal
                start(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
                return io.BytesIO(body)
            if not self.has_conditions:
                environ.pop("HTTP_IF_NONE_MATCH", None)
            if asked.method != "PUT":
                return inner(environ, start)  # type: ignore[no-any-return]
            with writing:  # moto looks for a key and then stores it; S3 does both at once
                if asked.key not in self.lost:
                    return inner(environ, start)  # type: ignore[no-any-return]
                self.lost.remove(asked.key)
                inner(environ, lambda *_: None)
            start("500 Internal Server Error", [("Content-Length", "0")])
            return io.BytesIO(b"")

        return app

    def _refusal(self, asked: Asked) -> tuple[str, bytes] | None:
        """Return status and body of the answer to a request that is refused."""
        if asked.access_key == "watcher":
            return None
        if self.is_away:
            return "503 Service Unavailable", _AWAY
        if asked.access_key in self.expired:
            return "400 Bad Request", _EXPIRED
        if asked.access_key in self.forbidden or (asked.method == "GET" and asked.key in self.forbidden_keys):
            return "403 Forbidden", _FORBIDDEN
        return None


@pytest.fixture
def s3() -> Iterator[S3Server]:
    """A server of the test's own with the empty bucket `lake`."""
    with S3Server().running() as running:
        yield running


def _read(environ: dict[str, Any]) -> Asked:
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    marks = [name for name in ("uploads", "partNumber", "uploadId", "delete", "list-type") if name in query]
    kind = environ["REQUEST_METHOD"] + (f" {marks[0]}" if marks else "")
    key = environ["PATH_INFO"].removeprefix(f"/{BUCKET}").lstrip("/") or query.get("prefix", [""])[0]
    signed_by = environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2].partition("/")[0]
    return Asked(environ["REQUEST_METHOD"], key, kind, "HTTP_RANGE" in environ, signed_by)


class _Silent(WSGIRequestHandler):
    def log(self, *_args: Any, **_options: Any) -> None:
        """Stay silent."""
