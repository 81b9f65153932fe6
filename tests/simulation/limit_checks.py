"""I7: limits and windows, judged by every movement of bytes, every operation and every claim of a seed.

A limit is judged from ten seconds after the last change of it: tasks hear of a new one in about three, and what lapses
does so within five. While Redis or the pace channel can't be reached, tasks go by equal fixed shares, which those who
held more take three seconds to come down to: when others begin meanwhile, ten seconds hold up to 130 % of the limit.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from tests.simulation.checks import Facts, Violation
from tests.simulation.journal import ENDLESS, Journal, KnownPolicy
from tests.simulation.loop import EPOCH, START
from tests.simulation.plans import CATALOGS
from tests.simulation.spark import Move, Operation
from tests.simulation.world import World

_WINDOW: Final = 10.0
_SETTLED: Final = 10.0
_TOLERANCE: Final = 1.05
_TOLERANCE_OUT_OF_REACH: Final = 1.4
_SLACK_BYTES: Final = 64 * 1024
_STOPPED_AFTER: Final = 5.0
_COUNTED_AFTER: Final = 4.0
_KNOWN_FOR: Final = 60.0
_OUT_OF_REACH: Final = frozenset({"redis", "deaf"})
_HELD: Final = frozenset({"planning", "rewriting", "committing"})


def limit_violations(world: World, facts: Facts, journal: Journal) -> Iterator[Violation]:
    """Yield every broken limit."""
    moves = sorted(world.spark.moves, key=lambda move: move.at)
    yield from _rates("the fleet", moves, journal, facts, lambda at: _fleet_limit(journal, at))
    for catalog in CATALOGS:
        own = [move for move in moves if move.table.startswith(f"{catalog}.")]
        yield from _rates(
            catalog, own, journal, facts, lambda at, catalog=catalog: _catalog_limit(journal, catalog, at)
        )
    for table in sorted(journal.policies):
        own = [move for move in moves if move.table == table]
        yield from _rates(table, own, journal, facts, lambda at, table=table: _table_limit(journal, table, at))
        yield from _quiet(table, own, world, journal, facts)
        yield from _per_day(table, facts, journal)
    yield from _claims(facts, journal)
    yield from _parallel_groups(world, facts, journal)
    yield from _fleet_groups(world, facts, journal)


def _rates(
    name: str, moves: Sequence[Move], journal: Journal, facts: Facts, limit_at: Callable[[float], float | None]
) -> Iterator[Violation]:
    """Judge any ten seconds, each beginning with a movement."""
    if not moves:
        return
    times = np.array([move.at for move in moves])
    sums = np.concatenate([[0], np.cumsum([move.count for move in moves])])
    ends = np.searchsorted(times, times + _WINDOW)
    moved = sums[ends] - sums[np.arange(len(times))]
    facts.checked["I7 rates"] += len(times)
    for at, count in zip(times.tolist(), moved.tolist(), strict=True):
        limit = limit_at(at)
        if limit is None or count <= limit * _WINDOW * _TOLERANCE + _SLACK_BYTES:
            continue
        if (
            journal.is_troubled(_OUT_OF_REACH, at - _SETTLED, at + _WINDOW)
            and count <= _TOLERANCE_OUT_OF_REACH * limit * _WINDOW
        ):
            continue
        percent = 100 * count / (limit * _WINDOW)
        yield Violation("I7", f"{name}: {percent:.1f} % of {limit:.0f} B/s in the 10 s from {at - START:.3f}")
        return


def _fleet_limit(journal: Journal, at: float) -> float | None:
    found = [limits.bandwidth for limits in journal.limits_between(at - _SETTLED, at + _WINDOW)]
    return None if None in found else max(map(float, filter(None, found)))


def _catalog_limit(journal: Journal, catalog: str, at: float) -> float | None:
    between = journal.limits_between(at - _SETTLED, at + _WINDOW)
    found = [limits.of_catalog(catalog).bandwidth for limits in between]
    return None if None in found else max(map(float, filter(None, found)))


def _table_limit(journal: Journal, table: str, at: float) -> float | None:
    found = [policy.bandwidth for policy in journal.policies_between(table, at - _SETTLED, at + _WINDOW)]
    return None if None in found else max(map(float, filter(None, found)))


def _quiet(table: str, moves: Sequence[Move], world: World, journal: Journal, facts: Facts) -> Iterator[Violation]:
    """Judge windows: nothing moves five seconds into one that interrupts, nothing begins in one that drains."""
    for policy, since, until in _known(journal, table):
        for window in policy.windows:
            start, end = max(window.start, since), min(window.end, until)
            if start >= end or (window.kind == "quiet_hours" and policy.is_urgent_sometimes):
                continue
            facts.checked["I7 windows"] += 1
            for operation in _in_vain(world.spark.operations, table, start, end, window.on_start):
                if not _is_excused(journal, operation, operation.began):
                    when = f"{operation.began - START:.3f} in {window.kind} {start - START:.1f}-{end - START:.1f}"
                    yield Violation("I7", f"{table}: an operation of run {operation.run_id} began at {when}")
                    return
            if window.on_start != "interrupt":
                continue
            late = [move for move in moves if max(window.start, since) + _STOPPED_AFTER < move.at < end]
            for move in late:
                if not _is_excused(journal, move.operation, move.at):
                    at = f"{move.at - start:.3f} s into {window.kind} {start - START:.1f}-{end - START:.1f}"
                    yield Violation("I7", f"{table}: run {move.run_id} moved {move.count} bytes {at}")
                    return


def _known(journal: Journal, table: str) -> Iterator[tuple[KnownPolicy, float, float]]:
    """Yield policies with the time in which every holder surely knows them."""
    policies = journal.policies[table]
    for number, policy in enumerate(policies):
        until = policies[number + 1].at if number + 1 < len(policies) else ENDLESS
        yield policy, policy.at + (_KNOWN_FOR if number else 0.0), until


def _in_vain(operations: Sequence[Operation], table: str, start: float, end: float, on_start: str) -> list[Operation]:
    if on_start == "finish":
        return []
    return [each for each in operations if each.table == table and start + 0.05 < each.began < end]


def _is_excused(journal: Journal, operation: Operation, at: float) -> bool:
    """True when nobody could have stopped it: its holder was dead or frozen, or Spark was out of reach."""
    if operation.process is None:
        return True
    name = operation.process.name
    return journal.is_troubled(frozenset({"killed", "frozen"}), at - 8, at, name) or journal.is_troubled(
        frozenset({"spark"}), at - 10, at
    )


def _per_day(table: str, facts: Facts, journal: Journal) -> Iterator[Violation]:
    """Judge the budget of a day where it never changed: a seed takes less than one, but for what it waits for."""
    limits = {policy.bytes_per_day for policy in journal.policies[table]}
    if None in limits:
        return
    most = max(filter(None, limits))
    rows = [(_seconds(row["at"]), row["bytes"]) for row in facts.rewritten if facts.tables[row["table_id"]] == table]
    facts.checked["I7 days"] += len(rows)
    for at, _ in rows:
        spent = sum(count for when, count in rows if at <= when < at + 86_400)
        if spent > most:
            yield Violation("I7", f"{table}: {spent} of {most} bytes in the day from {at - START:.3f}")
            return


def _claims(facts: Facts, journal: Journal) -> Iterator[Violation]:
    """Judge how many runs are held at once, and that no table has two holders, at each claim."""
    tables = {run["id"]: run["table_id"] for run in facts.runs}
    changes = sorted(
        (event for events in facts.events.values() for event in events if event["to_state"]), key=lambda e: e["place"]
    )
    held: dict[str, str] = {}
    for event in changes:
        if event["to_state"] not in _HELD:
            held.pop(event["run_id"], None)
            continue
        held[event["run_id"]] = tables[event["run_id"]]
        if event["kind"] != "claimed":
            continue
        at = _seconds(event["at"])
        facts.checked["I7 claims"] += 1
        limits = [each.parallel_runs for each in journal.limits_between(at - 1, at + 1)]
        if None not in limits and len(held) > max(filter(None, limits)):
            yield Violation("I7", f"{len(held)} runs held at {at - START:.3f}, limits {limits}")
        own = facts.tables[tables[event["run_id"]]].partition(".")[0]
        in_catalog = sum(facts.tables[table].startswith(f"{own}.") for table in held.values())
        limits = [each.of_catalog(own).parallel_runs for each in journal.limits_between(at - 1, at + 1)]
        if None not in limits and in_catalog > max(filter(None, limits)):
            yield Violation("I7", f"{in_catalog} runs of {own} held at {at - START:.3f}, limits {limits}")
        if len(set(held.values())) < len(held):
            yield Violation("I7", f"a table has two holders at {at - START:.3f}: {held}")


def _parallel_groups(world: World, facts: Facts, journal: Journal) -> Iterator[Violation]:
    """Judge how many operations of a run are alive at once, those of dead attempts too."""
    steps: dict[str, list[tuple[float, int, Operation]]] = {}
    for each in world.spark.operations:
        ends = min(each.ended or ENDLESS, each.killed_at or ENDLESS)
        steps.setdefault(each.run_id, []).extend([(each.began, 1, each), (ends, -1, each)])
    for run_id, changes in steps.items():
        alive: Counter[str] = Counter()
        for at, by, operation in sorted(changes, key=lambda change: (change[0], change[1])):
            alive[run_id] += by
            facts.checked["I7 groups"] += 1
            found = journal.policies_between(operation.table, 0, at)
            most = max(policy.parallel_groups for policy in found)
            if alive[run_id] > most:
                yield Violation("I7", f"run {run_id}: {alive[run_id]} operations at {at - START:.3f}, {most} allowed")
                return


def _fleet_groups(world: World, facts: Facts, journal: Journal) -> Iterator[Violation]:
    """Judge how many operations of all runs are alive when one begins, those of dead attempts too.

    A limit that was not set before counts from four seconds after it was written. Tasks that can't hear that they have
    to stop, because Redis or the pace channel can't be reached, live longer than their slots.
    """
    operations = world.spark.operations
    ends = [(min(each.ended or ENDLESS, each.killed_at or ENDLESS), -1) for each in operations]
    alive = 0
    for at, by in sorted([(each.began, 1) for each in operations] + ends, key=lambda change: (change[0], change[1])):
        alive += by
        if by < 0:
            continue
        facts.checked["I7 groups"] += 1
        limits = [each.parallel_groups for each in journal.limits_between(at - _COUNTED_AFTER, at)]
        if None in limits or alive <= max(filter(None, limits)):
            continue
        if not journal.is_troubled(_OUT_OF_REACH, at - _KNOWN_FOR, at):
            yield Violation("I7", f"{alive} operations of all runs at {at - START:.3f}, limits {limits}")
            return


def _seconds(text: str) -> float:
    """Return an instant of the record in seconds of the loop."""
    at: Any = datetime.fromisoformat(text)
    return float((at - EPOCH).total_seconds()) + START
