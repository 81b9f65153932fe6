"""`MockPackhouse`: an `httpx.MockTransport` over `Records`, with keys, idempotency, conditions, pages and faults."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

import httpx

from packhouse_client import models
from packhouse_client.bases import Model
from packhouse_client.client import AsyncPackhouse, Packhouse
from packhouse_client.models import RunState
from packhouse_client.testing.documents import checked_body
from packhouse_client.testing.problems import Refused, of_status, wrong_field
from packhouse_client.testing.records import Records, matching

URL: Final = "http://packhouse.test"
KEY: Final = "pkh_mock"
_TAG: Final = re.compile(r'"([0-9]{1,9})(?:-[0-9a-f]{16})?"')
_PREVIEWS: Final[Mapping[str, type[Model]]] = {
    "rewrite": models.RewriteSubmission,
    "purge": models.PurgePreview,
    **dict.fromkeys(map(str, models.UpkeepSubmissionOperation), models.UpkeepSubmission),
    **dict.fromkeys(map(str, models.DeletionSubmissionOperation), models.DeletionSubmission),
}
_SUBMISSIONS: Final[Mapping[str, type[Model]]] = {**_PREVIEWS, "purge": models.PurgeSubmission}


class MockPackhouse:
    """An in-memory server.

    `runs_end_as` is the end state of a run when it is first read after its submission; None leaves runs queued until
    `end_run`. `requests` has every received request, refused ones too.
    """

    def __init__(self, *, runs_end_as: RunState | None = RunState.SUCCEEDED) -> None:
        self.runs_end_as = runs_end_as
        self.requests: list[httpx.Request] = []
        self.records = Records()
        self.transport = httpx.MockTransport(self._answer)
        self._faults: list[Callable[[], httpx.Response]] = []
        self._kept: dict[tuple[str, str], tuple[str, httpx.Response]] = {}

    def client(self) -> Packhouse:
        """Return a client of this server, whose pauses take no time."""
        return Packhouse(URL, KEY, transport=self.transport, sleep=lambda _: None)

    def async_client(self) -> AsyncPackhouse:
        """Return a client for asyncio."""
        return AsyncPackhouse(URL, KEY, transport=self.transport, sleep=_no_pause)

    def add_table(self, address: str, **fields: Any) -> str:
        """Register `catalog.namespace.name` and return its id."""
        catalog, *namespace, name = address.split(".")
        return str(self.records.register({"catalog": catalog, "namespace": namespace, "name": name, **fields})["id"])

    def end_run(
        self,
        run_id: str,
        state: RunState = RunState.SUCCEEDED,
        *,
        result: dict[str, Any] | None = None,
        detail: str | None = None,
    ) -> None:
        """End a run now."""
        self.records.end(run_id, state, result=result or {}, detail=detail)

    def fail_next(self, fault: int | Exception, *, times: int = 1, retry_after: int | None = None) -> None:
        """Answer the next requests with a status, or raise an httpx error instead of answering them."""

        def fail() -> httpx.Response:
            if isinstance(fault, Exception):
                raise fault
            return of_status(fault, retry_after=retry_after)

        self._faults += [fail] * times

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self._faults:
            return self._faults.pop(0)()
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return Refused("unauthenticated", "the request carries no valid key").response(request.url.path)
        try:
            return self._once(request)
        except Refused as refused:
            return refused.response(request.url.path)

    def _once(self, request: httpx.Request) -> httpx.Response:
        key = request.headers.get("idempotency-key")
        if key is None or request.method != "POST":
            return self._route(request)
        scope, body = (request.url.path, key), hashlib.sha256(request.content).hexdigest()
        kept_body, kept = self._kept.get(scope, (body, None))
        if kept_body != body:
            raise wrong_field("header:Idempotency-Key", "the key was used with another body", key)
        if kept is not None:
            headers = dict(kept.headers) | {"Idempotent-Replayed": "true"}
            return httpx.Response(kept.status_code, headers=headers, content=kept.content)
        response = self._route(request)
        self._kept[scope] = (body, response)
        return response

    def _route(self, request: httpx.Request) -> httpx.Response:
        resource, *rest = request.url.path.removeprefix("/v1/").split("/")
        handler = {"tables": self._tables, "runs": self._runs}.get(resource)
        found = handler(request, rest) if handler else None
        if found is None:
            raise NotImplementedError(f"{request.method} {request.url.path}: not in the mock")
        return found

    def _tables(self, request: httpx.Request, rest: Sequence[str]) -> httpx.Response | None:
        match request.method, *rest:
            case ("POST",):
                table = self.records.register(checked_body(request, models.TableRegister))
                return httpx.Response(201, json=table, headers={"Location": f"/v1/tables/{table['id']}"})
            case ("GET",):
                return _page(request, list(self.records.tables.values()), ("catalog", "namespace", "name"))
            case "GET", identity:
                return httpx.Response(200, json=self.records.table(unquote(identity)))
            case "DELETE", identity:
                self.records.forget(self.records.table(unquote(identity))["id"])
                return httpx.Response(204)
            case method, identity, "policy":
                return self._policy(method, self.records.table(unquote(identity))["id"], request)
        return None

    def _runs(self, request: httpx.Request, rest: Sequence[str]) -> httpx.Response | None:
        match request.method, *rest:
            case ("POST",) | ("POST", "preview"):
                return self._submit(request, is_preview=bool(rest))
            case ("GET",):
                return _page(request, self._summaries(request), ("table_id", "state"), retained_since=None)
            case "GET", identity:
                self._look_at(identity)
                return httpx.Response(200, json=self.records.run(identity))
            case "POST", identity, "cancel":
                return httpx.Response(202, json=self.records.cancel(identity))
            case "GET", identity, "events":
                self._look_at(identity)
                return self._events(identity, request)
        return None

    def _summaries(self, request: httpx.Request) -> list[dict[str, Any]]:
        included = ",".join(request.url.params.get_list("include")).split(",")
        left_out = {"progress", "request", "plan", "policy", "result"} - set(included)
        return [
            {name: value for name, value in run.items() if name not in left_out} for run in self.records.runs.values()
        ]

    def _submit(self, request: httpx.Request, *, is_preview: bool) -> httpx.Response:
        body = checked_body(request, _PREVIEWS if is_preview else _SUBMISSIONS, "operation")
        if is_preview:
            return httpx.Response(200, json=self.records.plan(body["table_id"]))
        run, is_duplicate = self.records.submit(body)
        answer = {name: value for name, value in run.items() if name != "progress"}
        headers = {"Location": f"/v1/runs/{run['id']}"}
        return httpx.Response(
            200 if is_duplicate else 202, json=answer | {"deduplicated": is_duplicate}, headers=headers
        )

    def _look_at(self, run: str) -> None:
        if self.runs_end_as and not self.records.run(run)["is_terminal"]:
            self.records.end(run, self.runs_end_as, result={})

    def _policy(self, method: str, table: str, request: httpx.Request) -> httpx.Response:
        is_first = request.headers.get("if-none-match") == "*"
        match method:
            case "GET":
                found = self.records.policy(table)
            case "PUT":
                document = checked_body(request, models.PolicyDocument)
                version, message = None if is_first else _version(request), request.url.params.get("message")
                found = self.records.put_policy(table, document, version=version, message=message)
            case "DELETE":
                self.records.delete_policy(table, version=_version(request))
                return httpx.Response(204)
            case _:
                raise Refused("method_not_allowed", f"{method} is not known here")
        headers = {"ETag": f'"{found["version"]}"'}
        if method == "PUT" and is_first:
            return httpx.Response(201, json=found, headers=headers | {"Location": request.url.path})
        return httpx.Response(200, json=found, headers=headers)

    def _events(self, run: str, request: httpx.Request) -> httpx.Response:
        events = self.records.events[run]
        if request.headers.get("accept") != "text/event-stream":
            return _page(request, events[::-1], ())
        last = int(request.headers.get("last-event-id", 0))
        fresh = events[last:]
        if last and not fresh and self.records.run(run)["is_terminal"]:
            return httpx.Response(204)
        text = "".join(f"id: {e['sequence']}\nevent: event\ndata: {json.dumps(e)}\n\n" for e in fresh)
        return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})


def _page(
    request: httpx.Request, items: Sequence[dict[str, Any]], filters: Sequence[str], **more: Any
) -> httpx.Response:
    """Return a page of items, newest first, and `more`."""
    query = request.url.params
    found = matching(items[::-1], {name: query.get_list(name) for name in filters if name in query})
    size, start = int(query.get("page_size", 50)), int(query.get("page_token", 0))
    token = str(start + size) if start + size < len(found) else None
    return httpx.Response(200, json={"items": found[start : start + size], "next_page_token": token, **more})


def _version(request: httpx.Request) -> int:
    tag = request.headers.get("if-match")
    if tag is None:
        raise Refused("precondition_required", "a write must name the version that it changes: send If-Match")
    match = _TAG.fullmatch(tag)
    if match is None:
        raise Refused("precondition_failed", f"{tag} is not an ETag of this object")
    return int(match[1])


async def _no_pause(_: float) -> None:
    """Return at once."""
