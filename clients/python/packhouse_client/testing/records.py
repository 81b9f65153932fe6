"""State of the mock: tables, their policies, runs and their events; each method is one operation of the API."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final

from packhouse_client import models
from packhouse_client.addresses import join_address
from packhouse_client.models import RunState
from packhouse_client.testing.documents import filled
from packhouse_client.testing.problems import Refused

CALLER: Final = "mock"


class Records:
    """Tables, policies and runs by id, oldest first."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {}
        self.policies: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        self.events: dict[str, list[dict[str, Any]]] = {}
        self._numbers = count(1)

    def register(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Register a table under a new id; an address can be registered only once."""
        address = (body["catalog"], list(body["namespace"]), body["name"])
        if any((t["catalog"], t["namespace"], t["name"]) == address for t in self.tables.values()):
            raise Refused("state_conflict", f"{_address(body)} is registered already")
        identity = self._fresh("tbl")
        given = {name: value for name, value in body.items() if value is not None}
        self.tables[identity] = filled(
            models.Table,
            {
                "id": identity,
                "uuid": f"00000000-0000-4000-8000-{identity[-12:]}",
                "location": f"memory://{_address(body)}",
                "labels": {},
                "created_at": _now(),
                **given,
            },
        )
        return self.tables[identity]

    def table(self, identity: str) -> dict[str, Any]:
        """Return a table by its id or its address, or refuse."""
        by_address = {_address(table): table for table in self.tables.values()}
        return by_address.get(identity) or _found(self.tables, identity, "table")

    def forget(self, identity: str) -> None:
        """Delete a table and its policy; refuse while a run is live."""
        self.table(identity)
        if live := self.live(identity):
            raise Refused("state_conflict", f"run {live['id']} of the table is {live['state']}")
        del self.tables[identity]
        self.policies.pop(identity, None)

    def policy(self, table: str) -> dict[str, Any]:
        """Return a table's own policy, or refuse."""
        self.table(table)
        return _found(self.policies, table, "policy of table")

    def put_policy(
        self, table: str, document: Mapping[str, Any], *, version: int | None, message: str | None = None
    ) -> dict[str, Any]:
        """Replace a version of a policy, unless the content is the same; None: create the first one."""
        self.table(table)
        self._expect(table, version)
        present = self.policies.get(table)
        if present and present["policy"] == _without_nulls(document):
            return present
        self.policies[table] = filled(
            models.TablePolicy,
            {
                "table_id": table,
                "version": (version or 0) + 1,
                "updated_at": _now(),
                "updated_by": CALLER,
                "message": message,
                "policy": _without_nulls(document),
            },
        )
        return self.policies[table]

    def delete_policy(self, table: str, *, version: int) -> None:
        """Delete a policy of a version."""
        self.policy(table)
        self._expect(table, version)
        del self.policies[table]

    def submit(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """Submit a run; return it, or the live one, and whether it was live already."""
        table = self.table(body["table_id"])
        if live := self.live(table["id"]):
            return live, True
        identity = self._fresh("run")
        self.events[identity] = []
        tag = {"operation": body.get("operation", "rewrite")}
        self.runs[identity] = filled(
            models.RunDetail,
            {
                "id": identity,
                "operation": "rewrite",
                "requested_by": CALLER,
                "created_at": _now(),
                "updated_at": _now(),
                "progress": filled(models.Progress, {}),
                "time": filled(models.RunTime, {}),
                "request": tag,
                "plan": tag,
                "result": tag,
                **body,
                "table_id": table["id"],
                "table": _address(table),
                "catalog": table["catalog"],
                "state": RunState.QUEUED.value,
                "is_terminal": False,
            },
        )
        self._note(identity, "submitted", None, RunState.QUEUED)
        return self.runs[identity], False

    def plan(self, table: str) -> dict[str, Any]:
        """Return a plan that finds nothing to do."""
        table = self.table(table)["id"]
        expected = {
            "prediction": filled(models.Prediction, {}),
            "calibration": {"runs": 0, "output_files": 1.0, "output_bytes": 1.0, "metadata_bytes": 0},
            "time_estimate": {
                **filled(models.TimeEstimate, {}),
                "kind": "pack",
                "source": "prior",
                "evidence": "assumed: no run has been measured yet",
                "lanes": 1,
            },
            "later": {"partitions": 0, "files": 0, "bytes": 0},
            "due": filled(models.DueState, {"never_due": filled(models.NeverDue, {})}),
        }
        return filled(models.TablePlan, {"table_id": table, "enabled": True, "eligible": True, **expected})

    def run(self, identity: str) -> dict[str, Any]:
        """Return a run, or refuse."""
        return _found(self.runs, identity, "run")

    def live(self, table: str) -> dict[str, Any] | None:
        """Return the run of a table that has not ended."""
        return next((r for r in self.runs.values() if r["table_id"] == table and not r["is_terminal"]), None)

    def cancel(self, identity: str) -> dict[str, Any]:
        """Cancel a run that has not ended."""
        if self.run(identity)["is_terminal"]:
            raise Refused("state_conflict", f"run {identity} has ended")
        return self.end(identity, RunState.CANCELLED, result={})

    def end(
        self, identity: str, state: RunState, *, result: Mapping[str, Any], detail: str | None = None
    ) -> dict[str, Any]:
        """End a run."""
        run = self.run(identity)
        self._note(identity, "transition", RunState(run["state"]), state)
        at = _now()
        run |= {"state": state.value, "is_terminal": True, "finished_at": at, "updated_at": at}
        run |= {"started_at": run["started_at"] or at, "detail": detail}
        run["result"] = {"operation": run["operation"], **result}
        return run

    def _expect(self, table: str, version: int | None) -> None:
        present = self.policies.get(table)
        if (present["version"] if present else None) != version:
            raise Refused("precondition_failed", "the policy is not at the version that the request names")

    def _note(self, run: str, kind: str, before: RunState | None, after: RunState) -> None:
        events = self.events[run]
        event = {
            "run_id": run,
            "sequence": len(events) + 1,
            "at": _now(),
            "kind": kind,
            "actor": CALLER,
            "from_state": before,
            "to_state": after,
        }
        events.append(filled(models.RunEvent, event))

    def _fresh(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):026}"


def matching(items: Sequence[dict[str, Any]], wanted: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Return the items whose fields have one of the wanted values; a list field must equal the wanted values."""

    def fits(found: object, values: Sequence[str]) -> bool:
        return found == list(values) if isinstance(found, list) else str(found) in ",".join(values).split(",")

    return [item for item in items if all(fits(item[name], values) for name, values in wanted.items())]


def _found(records: Mapping[str, dict[str, Any]], identity: str, kind: str) -> dict[str, Any]:
    if identity not in records:
        raise Refused("not_found", f"there is no {kind} {identity}")
    return records[identity]


def _without_nulls(document: Mapping[str, Any]) -> dict[str, Any]:
    inner = {k: _without_nulls(v) if isinstance(v, Mapping) else v for k, v in document.items()}
    return {name: value for name, value in inner.items() if value is not None}


def _address(body: Mapping[str, Any]) -> str:
    return join_address(body["catalog"], body["namespace"], body["name"])


def _now() -> str:
    return datetime.now(UTC).isoformat()
