"""Packhouse as any HTTP client sees it: a few calls of httpx, and a run followed through its events by the SDK."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from packhouse_client import Packhouse
from packhouse_client.streams import HEARTBEAT

Watcher = Callable[[str, Mapping[str, Any]], None]
"""Is told each server-sent event: its name (`event`, `progress`) and its document."""


class Server:
    """Calls that return the JSON answer, and end the demo with the problem document where the server refuses."""

    def __init__(self, *, url: str, key: str) -> None:
        self._sdk = Packhouse(url, api_key=key)
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def get(self, path: str) -> Any:
        """Read."""
        return self._answer(self._http.get(path))

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Create or trigger; acknowledge what it deletes."""
        return self._answer(self._acknowledged("POST", path, json=body))

    def put_policy(self, table_id: str, policy: Mapping[str, Any]) -> Any:
        """Write a table's policy, as a first one or over the version that is there; acknowledge what it deletes."""
        path = f"/v1/tables/{table_id}/policy"
        present = self._http.get(path)
        condition = {"If-Match": present.headers["etag"]} if present.is_success else {"If-None-Match": "*"}
        return self._answer(self._acknowledged("PUT", path, json=policy, headers=condition))

    def run_to_end(
        self,
        table_id: str,
        watch: Watcher,
        *,
        operation: str = "rewrite",
        submitted: Callable[[str], None] = lambda _id: None,
    ) -> Any:
        """Submit a run, follow its events to the last one, and return the run as it ended."""
        grace = {} if operation == "rewrite" else {"grace": "0s"}  # nobody has to undo it in a demo
        run_id = self.post("/v1/runs", {"table_id": table_id, "operation": operation} | grace)["id"]
        submitted(run_id)
        for event in self._sdk.follow_run(run_id):
            if event.name != HEARTBEAT:
                watch(event.name, json.loads(event.data))
        return self.get(f"/v1/runs/{run_id}")

    def _acknowledged(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Send a request, and again with the token of its preview if it is refused for what it deletes."""
        answer = self._http.request(method, path, **arguments)
        if answer.status_code != httpx.codes.PRECONDITION_REQUIRED:
            return answer
        token = {"acknowledge": answer.json()["details"]["acknowledge"]}
        return self._http.request(method, path, params=token, **arguments)

    def _answer(self, response: httpx.Response) -> Any:
        if response.is_error:
            sys.exit(f"{response.request.method} {response.request.url.path} answered {response.text}")
        return response.json() if response.content else None
