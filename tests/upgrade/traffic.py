"""Writers and clients that go on during an upgrade: appends, submitted runs, one followed stream of events."""

import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from pyiceberg.catalog import load_catalog

from tests.support.world import NAME, SCHEMA, SPEC, Lake
from tests.upgrade.deployment import KEY, Deployment

PATIENCE_SECONDS: Final = 60
_HEADERS: Final = {"Authorization": f"Bearer {KEY}"}


def new_lake(folder: Path, name: str) -> Lake:
    """Create a table in a new catalog of this name; the name is part of a SQL catalog."""
    folder.mkdir()
    properties = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}
    catalog = load_catalog(name, **properties)
    catalog.create_namespace(NAME[0])
    catalog.create_table(NAME, SCHEMA, partition_spec=SPEC)
    lake = Lake(properties, catalog)
    lake.fill(days=2, files=3)
    return lake


@dataclass
class Traffic:
    """The tables, and what was written and accepted. Requests go to any api that runs, again with the same key."""

    deployment: Deployment
    lakes: Sequence[Lake]
    table_ids: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    followed: dict[str, list[int]] = field(default_factory=dict)
    _threads: list[threading.Thread] = field(default_factory=list)
    _errors: list[BaseException] = field(default_factory=list)
    _is_over: threading.Event = field(default_factory=threading.Event)

    def register(self) -> None:
        """Register each table in a catalog of its own."""
        for lake in self.lakes:
            name, properties = lake.catalog.name, lake.properties
            self.ask("POST", "/v1/catalogs", {"name": name, "format": "iceberg", "properties": properties})
            body = {"catalog": name, "namespace": [NAME[0]], "name": NAME[1]}
            self.table_ids.append(self.ask("POST", "/v1/tables", body)["id"])

    def begin(self) -> None:
        """Start the writers and clients."""
        for work in (self._append, self._submit, self._follow):
            self._threads.append(threading.Thread(target=self._until_over, args=[work]))
            self._threads[-1].start()

    def end(self) -> None:
        """Stop them, and raise the first error of one."""
        self._is_over.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)
        if self._errors:
            raise self._errors[0]

    def wait_for_runs(self, count: int, *, within_seconds: float = 300) -> None:
        """Return once so many further runs have succeeded."""
        deadline, wanted = time.monotonic() + within_seconds, self._succeeded() + count
        while self._succeeded() < wanted:
            assert not self._errors, self._errors
            assert time.monotonic() < deadline, f"{count} runs did not succeed within {within_seconds:g} s"
            time.sleep(0.2)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request to an api that answers; one without an answer is repeated with its idempotency key."""
        headers, deadline = _HEADERS | {"Idempotency-Key": uuid.uuid4().hex}, time.monotonic() + PATIENCE_SECONDS
        while True:
            urls = [each.url for each in self.deployment.running if each.log.name.endswith("-api.log")]
            try:
                url = random.choice(urls) + path
                answer = httpx.request(method, url, json=body, headers=headers, timeout=30)
            except httpx.TransportError:
                answer = httpx.Response(503, text="no answer")
            if answer.status_code not in (503, 429) and "in_flight" not in answer.text:  # 409 of the last release
                assert answer.is_success, answer.text
                return answer.json() if answer.content else None
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.1)

    def runs(self) -> list[Any]:
        """Return every run of the record."""
        return self._pages("/v1/runs?include=result")

    def events(self, run_id: str) -> list[Any]:
        """Return all events of a run."""
        return self._pages(f"/v1/runs/{run_id}/events?")

    def _pages(self, path: str) -> list[Any]:
        found, token = [], ""
        while True:
            page = self.ask("GET", f"{path}&page_size=100{token}")
            found += page["items"]
            if not page.get("next_page_token"):
                return found
            token = f"&page_token={page['next_page_token']}"

    def _succeeded(self) -> int:
        return sum(run["state"] == "succeeded" for run in self.runs())

    def _until_over(self, work: Callable[[], None]) -> None:
        try:
            while not self._is_over.is_set():
                work()
        except BaseException as error:  # noqa: BLE001 - raised by `end`, in the thread of the test
            self._errors.append(error)

    def _append(self) -> None:
        random.choice(self.lakes).append(day=random.choice(("2026-11-01", "2026-11-02")), rows=20)
        self._is_over.wait(0.3)

    def _submit(self) -> None:
        body = {"table_id": random.choice(self.table_ids), "operation": "rewrite", "force_full": True}
        run = self.ask("POST", "/v1/runs", body)
        if not run["deduplicated"]:
            self.accepted.append(run["id"])
        self._is_over.wait(0.5)

    def _follow(self) -> None:
        """Follow the newest run to its end, from one api to the next: its stream is resumed where it broke off."""
        if not self.accepted:
            self._is_over.wait(0.1)
            return
        run_id = self.accepted[-1]
        seen = self.followed.setdefault(run_id, [])
        while not self._is_over.is_set():
            urls = [each.url for each in self.deployment.running if each.log.name.endswith("-api.log")]
            headers = _HEADERS | {"Accept": "text/event-stream"} | ({"Last-Event-ID": str(seen[-1])} if seen else {})
            try:
                url = f"{random.choice(urls)}/v1/runs/{run_id}/events"
                with httpx.stream("GET", url, headers=headers, timeout=30) as stream:
                    if stream.status_code == httpx.codes.NO_CONTENT:
                        return
                    seen += [int(line[4:]) for line in stream.iter_lines() if line.startswith("id: ")]
            except httpx.TransportError:
                self._is_over.wait(0.1)


def summary(run: Any) -> str:
    """Return a run as a line of a failure."""
    return json.dumps({name: run[name] for name in ("id", "state", "reason", "detail", "attempt")})
