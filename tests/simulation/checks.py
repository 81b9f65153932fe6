"""The invariants, judged on what is left at the end: the record, the model tables, and every movement of bytes.

I1 one effective commit a group; I2 no row lost or doubled; I3 no live file gone; I4 every run ended; I5 ends agree with
the table's history; I6 the events of a run form one chain, attempts never fall; I8 each change says why. I7, the
limits, is judged in `limit_checks`.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.domain.runs.run import LEASED_STATES, TERMINAL_STATES, TRANSITIONS, Operation, RunState
from tests.simulation.lake import ModelTable
from tests.simulation.world import World

_OF_ANYBODY = frozenset({"submitted", "reaped", "cancel_requested", "cancelled", "held_back", "let_go"})
_NO_REASON = frozenset({RunState.PLANNING, RunState.REWRITING, RunState.COMMITTING})


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken invariant: which, and what was found."""

    invariant: str
    what: str


@dataclass
class Facts:
    """What the record holds, read past the stores."""

    runs: list[dict[str, Any]]
    events: dict[str, list[dict[str, Any]]]
    groups: dict[str, list[dict[str, Any]]]
    rewritten: list[dict[str, Any]]
    tables: dict[str, str] = field(default_factory=dict)  # id -> str(TableRef)
    checked: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def read(world: World) -> "Facts":
        connection = sqlite3.connect(world.record.file)
        connection.row_factory = sqlite3.Row

        def rows(query: str) -> list[dict[str, Any]]:
            return [dict(row) for row in connection.execute(query)]

        events: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for event in rows("SELECT rowid AS place, * FROM run_events ORDER BY run_id, sequence"):
            events[event["run_id"]].append(event)
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for group in rows("SELECT run_id, ordinal, state, attempt, snapshot_id, reason FROM file_groups"):
            groups[group["run_id"]].append(group)
        names = rows("SELECT id, catalog, namespace, name FROM tables")
        facts = Facts(
            runs=rows("SELECT * FROM runs ORDER BY id"),
            events=events,
            groups=groups,
            rewritten=rows("SELECT * FROM rewritten_bytes ORDER BY id"),
            tables={row["id"]: f"{row['catalog']}.lake.{row['name']}" for row in names},
        )
        connection.close()
        return facts


def violations(world: World, facts: Facts) -> Iterator[Violation]:
    """Yield every broken invariant of rows, histories and states."""
    runs = {run["id"]: run for run in facts.runs}
    for run in facts.runs:
        facts.checked["I4"] += 1
        if run["state"] not in TERMINAL_STATES:
            last = [f"{e['kind']} {e['reason'] or ''}" for e in facts.events[run["id"]][-6:]]
            waits = f"waits for {run['waiting_for']} until {run['not_before']}"
            yield Violation("I4", f"run {run['id']} is {run['state']}, {waits}; its last events: {last}")
        yield from _chain(run, facts.events[run["id"]])
        facts.checked["I6"] += len(facts.events[run["id"]])
    for table in world.lake.tables.values():
        yield from _rows(table, facts)
        yield from _history(table, runs, facts)


def _chain(run: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> Iterator[Violation]:
    state: str | None = None
    holder: str | None = None
    before: Mapping[str, Any] = {"sequence": 0, "at": "", "attempt": 0}
    for event in events:
        where = f"run {run['id']} event {event['sequence']} ({event['kind']})"
        if event["kind"] == "claimed":
            holder = event["actor"]
        elif event["kind"] not in _OF_ANYBODY and event["actor"] != holder:
            yield Violation("I6", f"{where}: by {event['actor']}, but {holder} held the run")
        if state in TERMINAL_STATES:
            yield Violation("I6", f"{where}: after the run had ended as {state}")
        yield from _order(where, before, event)
        if event["to_state"] is not None:
            yield from _step(where, state, event)
            state = event["to_state"]
            holder = holder if state in LEASED_STATES else None
        before = event
    if state != run["state"]:
        yield Violation("I6", f"run {run['id']} is {run['state']}, its events end at {state}")


def _order(where: str, before: Mapping[str, Any], event: Mapping[str, Any]) -> Iterator[Violation]:
    if event["sequence"] != before["sequence"] + 1:
        yield Violation("I6", f"{where}: comes after event {before['sequence']}")
    if event["at"] < before["at"]:
        yield Violation("I6", f"{where}: at {event['at']}, after {before['at']}")
    if event["attempt"] < before["attempt"]:
        yield Violation("I6", f"{where}: of attempt {event['attempt']} after attempt {before['attempt']} began")
    if event["attempt"] > before["attempt"] and event["kind"] != "claimed":
        yield Violation("I6", f"{where}: attempt {event['attempt']} began without a claim")


def _step(where: str, state: str | None, event: Mapping[str, Any]) -> Iterator[Violation]:
    if event["from_state"] != state:
        yield Violation("I6", f"{where}: from {event['from_state']}, but the run was {state}")
    elif state is not None and event["to_state"] not in TRANSITIONS[RunState(state)]:
        yield Violation("I6", f"{where}: {state} → {event['to_state']} is no change that there is")
    says = event["reason"] or json.loads(event["details"] or "{}") or event["kind"] in ("submitted", "cancelled")
    if state is not None and event["to_state"] not in _NO_REASON and not says:
        yield Violation("I8", f"{where}: {state} → {event['to_state']} without a reason")


def _rows(table: ModelTable, facts: Facts) -> Iterator[Violation]:
    facts.checked["I2"] += len(table.expected)
    live: Counter[int] = Counter()
    for file in table.files.values():
        facts.checked["I3"] += 1
        if file.path not in table.storage:
            yield Violation("I3", f"{table.ref}: live file {file.path} is gone")
        elif table.storage[file.path] != file.rows:
            yield Violation("I3", f"{table.ref}: live file {file.path} holds other rows than were committed")
        live.update(file.live_rows)
    doubled = [row for row, count in live.items() if count > 1]
    lost, extra = table.expected - live.keys(), live.keys() - table.expected
    if doubled or lost or extra:
        counts = f"{len(lost)} rows lost, {len(doubled)} doubled, {len(extra)} came back"
        yield Violation("I2", f"{table.ref}: {counts}")


def _history(table: ModelTable, runs: Mapping[str, Any], facts: Facts) -> Iterator[Violation]:
    """Compare the snapshots of runs with what the record says of them."""
    of_run: dict[str, dict[int, int]] = defaultdict(dict)
    for snapshot in table.snapshots:
        if snapshot.run_id is None:
            continue
        facts.checked["I1"] += len(snapshot.groups)
        for group in snapshot.groups:
            if group in of_run[snapshot.run_id]:
                yield Violation("I1", f"group {group} of run {snapshot.run_id} was committed twice")
            of_run[snapshot.run_id][group] = snapshot.number
    mine = [run for run in runs.values() if facts.tables.get(run["table_id"]) == str(table.ref)]
    for run in mine:
        if run["state"] not in TERMINAL_STATES:
            continue
        facts.checked["I5"] += 1
        told = set(map(int, json.loads(run["result"]).get("snapshot_ids", ())))
        said = _said(run, facts, told)
        if said != of_run[run["id"]]:
            yield Violation("I5", f"run {run['id']} ({run['state']}) says {said}, the table {of_run[run['id']]}")
        if told != set(said.values()):
            yield Violation("I5", f"run {run['id']} ({run['state']}) tells of snapshots {told}, has {said}")
        if run["state"] == "skipped" and said:
            yield Violation("I5", f"run {run['id']} was skipped and committed {said}")


def _said(run: Mapping[str, Any], facts: Facts, told: set[int]) -> dict[int, int]:
    """Return the snapshot of each committed group; a run that has no groups has the part 0."""
    if run["operation"] == Operation.REWRITE:
        return {g["ordinal"]: g["snapshot_id"] for g in facts.groups[run["id"]] if g["state"] == "committed"}
    return dict.fromkeys((0,) if told else (), max(told, default=0))
