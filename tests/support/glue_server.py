"""AWS Glue, STS and S3 on one server (moto's), with what moto's Glue lacks: versions that are compared, pages, faults.

Moto takes an `UpdateTable` with a stale version; Glue answers `ConcurrentModificationException`. Moto answers with all
partitions at once; Glue with pages, and without columns on request.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from io import BytesIO
from threading import Lock
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.support.s3_server import BUCKET, Asked, S3Server

_TARGET = "AWSGlue."
_CHANGES = ("UpdateTable", "UpdatePartition")
REGION = "us-east-1"

Environ = dict[str, Any]


@dataclass
class GlueServer(S3Server):
    """The server. Answers of Glue can be refused or lost by the name of the call, such as `UpdateTable`.

    Attributes:
        calls: how often each was asked for.
        refusals: codes that the next calls of a name are answered with, such as `ThrottlingException`.
        lost_after: names of which the next call takes effect and has no answer.
        denied: access keys of which every change is refused.
        only_reads: access keys whose requests to S3 that write are refused.
        before_update: called before each `UpdateTable` and `UpdatePartition`, once the files are written.
        after_update: called after each of them, before it is answered.
        answers: made by tests for calls of a name, from the request, in the place of moto's.
    """

    calls: Counter[str] = field(default_factory=Counter)
    refusals: dict[str, list[str]] = field(default_factory=dict)
    lost_after: list[str] = field(default_factory=list)
    denied: set[str] = field(default_factory=set)
    only_reads: set[str] = field(default_factory=set)
    before_update: Callable[[], None] = lambda: None
    after_update: Callable[[], None] = lambda: None
    answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)

    def settings(self, **more: str) -> dict[str, str]:
        """Return the properties of a catalog, with references to keys for Glue and S3, which are `lake` and `x`."""
        keys = {"client.access-key-id": "env:LAKE_KEY", "client.secret-access-key": "env:LAKE_SECRET"}
        keys |= {"client.region": REGION}
        return {"type": "glue", "glue.endpoint": self.url, "s3.endpoint": self.url, **keys, **more}

    def writers(self) -> dict[str, str]:
        """Return the properties of a writer's catalog; it has keys of its own."""
        keys = {"client.access-key-id": "watcher", "client.secret-access-key": "x"}
        return self.settings(warehouse=f"s3://{BUCKET}/warehouse", **keys)

    def _refusal(self, asked: Asked) -> tuple[str, bytes] | None:
        if asked.key and asked.method != "GET" and asked.access_key in self.only_reads:
            return "403 Forbidden", b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"
        return super()._refusal(asked)

    def _app(self) -> Any:
        inner, updating = super()._app(), Lock()

        def app(environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
            target = environ.get("HTTP_X_AMZ_TARGET", "")
            if not target.startswith(_TARGET):
                return inner(environ, start)  # type: ignore[no-any-return]
            name, body = target.removeprefix(_TARGET), _whole_body(environ)
            is_writer = "Credential=watcher/" in environ.get("HTTP_AUTHORIZATION", "")
            if not is_writer:
                self.calls[name] += 1
                if name in _CHANGES:
                    self.before_update()
                if name in self.answers:
                    return _answered(self.answers[name](json.loads(body)), start)
            with updating if name == "UpdateTable" else nullcontext():
                if code := None if is_writer else self._code(name, body, environ):
                    return _refused(code, start)
                if name == "GetPartitions" and not is_writer:
                    return _answered(_page(json.loads(body), b"".join(inner(environ, lambda *_: None))), start)
                answer = inner(environ, start if name not in self.lost_after or is_writer else lambda *_: None)
            if name in _CHANGES and not is_writer:
                self.after_update()
            if name in self.lost_after and not is_writer:
                self.lost_after.remove(name)
                return _refused("InternalServiceException", start)
            return answer  # type: ignore[no-any-return]

        return app

    def _code(self, name: str, body: bytes, environ: Environ) -> str | None:
        """Return the code of the error that a call is answered with."""
        if waiting := self.refusals.get(name):
            return waiting.pop(0)
        if name not in _CHANGES:
            return None
        if any(f"Credential={key}/" in environ["HTTP_AUTHORIZATION"] for key in self.denied):
            return "AccessDeniedException"
        if name == "UpdatePartition":
            return None
        asked = json.loads(body)
        present = self.entry(asked["DatabaseName"], asked["TableInput"]["Name"])
        is_stale = present is not None and asked.get("VersionId") not in (None, present["VersionId"])
        return "ConcurrentModificationException" if is_stale else None

    def entry(self, database: str, table: str) -> dict[str, Any] | None:
        """Return Glue's entry of a table, None if there is none."""
        body = json.dumps({"DatabaseName": database, "Name": table}).encode()
        signed = (
            f"AWS4-HMAC-SHA256 Credential=watcher/20261130/{REGION}/glue/aws4_request, SignedHeaders=host, Signature=x"
        )
        headers = {"X-Amz-Target": f"{_TARGET}GetTable", "Authorization": signed}
        try:
            with urlopen(Request(self.url, body, headers | {"Content-Type": "application/x-amz-json-1.1"})) as answer:
                found: dict[str, Any] = json.load(answer)["Table"]
        except OSError:
            return None
        return found


def _whole_body(environ: Environ) -> bytes:
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = BytesIO(body)
    return body


def _page(asked: dict[str, Any], answer: bytes) -> dict[str, Any]:
    """Return the page of an answer with all partitions that a request is for."""
    found: dict[str, Any] = json.loads(answer)
    if "Partitions" not in found:
        return found
    start = int(asked.get("NextToken", 0))
    shown = found["Partitions"][start : start + asked.get("MaxResults", 100)]
    if asked.get("ExcludeColumnSchema"):
        for each in shown:
            each["StorageDescriptor"].pop("Columns", None)
    more = start + len(shown)
    return {"Partitions": shown} | ({"NextToken": str(more)} if more < len(found["Partitions"]) else {})


def _answered(answer: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    body = json.dumps(answer).encode()
    status = "400 Bad Request" if "__type" in answer else "200 OK"
    start(status, [("Content-Type", "application/x-amz-json-1.1"), ("Content-Length", str(len(body)))])
    return BytesIO(body)


def _refused(code: str, start: Callable[..., Any]) -> Iterable[bytes]:
    body = json.dumps({"__type": code, "Message": f"{code}, says the test"}).encode()
    status = "500 Internal Server Error" if code.startswith("Internal") else "400 Bad Request"
    start(status, [("Content-Type", "application/x-amz-json-1.1"), ("Content-Length", str(len(body)))])
    return BytesIO(body)


@contextmanager
def open_glue() -> Iterator[GlueServer]:
    """Serve, with the empty bucket `lake`, until the block ends."""
    with GlueServer().running() as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAKE_KEY", "lake")
        patch.setenv("LAKE_SECRET", "x")
        assert isinstance(running, GlueServer)
        yield running


@pytest.fixture
def glue() -> Iterator[GlueServer]:
    """A server of the test's own."""
    with open_glue() as opened:
        yield opened
