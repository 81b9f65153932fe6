"""Replays: the result of each preset on a table's write history over days, by the product's own rules and plans.

Every ten minutes of virtual time (the default `schedule.min_interval`) the table is evaluated
(`planning.due.evaluations.evaluate_policy`) and, where a rule is due, planned (`services.planning.planner.plan_due`).
Only the execution is a model: a run is committed at the instant at which it starts, and its outputs have the bytes of
their inputs. Each look also counts the *debt*: avoidable files as `planning.measures.health` counts them, by the same
size for all presets (96 MiB, that of `balanced`).

`balanced` has bounds (`broken`): each byte is rewritten at most `MOST_AMPLIFICATION` times, no partition has more than
`MOST_OF_ONE` avoidable files, and the partitions without new files for `SETTLED_SECONDS` have at most `MOST_AVOIDABLE`
of them together, or `MOST_SHARE` of the table's files where that is more. The other presets follow their sources; their
results are printed without bounds.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from bench.fleet.histories import BEGIN, DAY, NAMES, Arrivals, History, history
from bench.fleet.population import MIB, Floats, Ints
from bench.fleet.tables import as_table, count
from engine.domain.policies import PRESETS, EffectivePolicy, PolicyDocument, Windows, effective_policy
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.runs.plans import FileGroup
from engine.formats.base import NoParts
from engine.planning.due.evaluations import evaluate_policy
from engine.planning.measures.digest import FILE_DIGEST, TableMeasures
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.services.planning.planner import plan_due
from engine.stores.runs.histories import MOST_RUNS
from tests.support.planning import chosen_of

LOOK_SECONDS = 600
SMALL_BYTES = 96 * MIB
MOST_AMPLIFICATION = 2.5
MOST_OF_ONE = 500
SETTLED_SECONDS = 3600
MOST_AVOIDABLE, MOST_SHARE = 200, 0.3
_BEGIN_MS = round(BEGIN.timestamp() * 1000)


@dataclass(slots=True)
class ReplayedTable(NoParts):
    """The live files of a table: a path is the number of the file in order of arrival. Plans like an open table."""

    partitions: Sequence[str]
    number: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    partition: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    bytes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    added_ms: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    head_snapshot_id: int = 1
    schema_id: int = 0
    _made: int = 0

    def add(self, partition: Ints, file_bytes: Ints, added_ms: Ints) -> None:
        """Add files."""
        count = len(partition)
        self.number = np.concatenate([self.number, np.arange(self._made, self._made + count)])
        self.partition = np.concatenate([self.partition, partition])
        self.bytes = np.concatenate([self.bytes, file_bytes])
        self.added_ms = np.concatenate([self.added_ms, added_ms])
        self._made += count

    def replace(self, groups: Sequence[FileGroup], now_ms: int) -> set[str]:
        """Replace the inputs of groups by the outputs that the plan predicts; return their partitions."""
        places = {name: at for at, name in enumerate(self.partitions)}
        removed = np.array([int(file.path) for group in groups for file in group.inputs], dtype=np.int64)
        kept = ~np.isin(self.number, removed)
        self.number, self.partition = self.number[kept], self.partition[kept]
        self.bytes, self.added_ms = self.bytes[kept], self.added_ms[kept]
        for group in groups:
            made = group.predicted_outputs
            sizes = [group.input_bytes // made + (at < group.input_bytes % made) for at in range(made)]
            where = np.full(made, places[group.partition], np.int64)
            self.add(where, np.array(sizes, np.int64), np.full(made, now_ms, np.int64))
        return {group.partition for group in groups}

    def digest(self) -> pa.Table:
        """Return the live files, in the shape of `planning.measures.digest.FILE_DIGEST`."""
        count = len(self.number)
        zeros, no = np.zeros(count, np.int64), pa.array(np.zeros(count, np.bool_))
        here, codes = np.unique(self.partition, return_inverse=True)
        names = pa.array([self.partitions[at] for at in here.tolist()], pa.string())
        columns: dict[str, Any] = {
            "path": [str(number) for number in self.number.tolist()],
            "spec_id": pa.array(zeros.astype(np.int32)),
            "partition": pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names),
            "file_format": pa.DictionaryArray.from_arrays(pa.array(zeros.astype(np.int32)), pa.array(["parquet"])),
            "file_bytes": self.bytes,
            "record_count": self.bytes // 100,
            "sequence_number": self.number,
            "is_encrypted": no,
            "is_outside": no,
            "recorded_order": pa.nulls(count, FILE_DIGEST.field("recorded_order").type),
            "refusal": pa.nulls(count, FILE_DIGEST.field("refusal").type),
            "added_at_ms": self.added_ms,
            "data_at_ms": self.added_ms,
            "bucket": pa.nulls(count, pa.int32()),
            "level": pa.nulls(count, pa.int32()),
        }
        return pa.table({name: columns.get(name, zeros) for name in FILE_DIGEST.names}, schema=FILE_DIGEST)

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path."""
        size = dict(zip(self.number.tolist(), self.bytes.tolist(), strict=True))
        return {path: InputFile(path, size[int(path)], size[int(path)] // 100, int(path)) for path in paths}

    def column_names(self) -> Sequence[str]:
        """Return no columns: predictions of bytes are not used."""
        return ()

    def resolve_order(self, _wanted: object) -> Any:
        """Refuse: no preset orders rows."""
        raise AssertionError("no preset orders rows")

    def order_ranges(self, _order: object, _paths: pa.ChunkedArray | None = None) -> Any:
        """Refuse: no preset orders rows."""
        raise AssertionError("no preset orders rows")


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a policy on a history. Over looks: `debt`, of it `settled`, `worst` of one partition; `files`."""

    history: str
    debt: Ints
    settled: Ints
    worst: Ints
    files: Ints
    rewritten_bytes: int
    ingested_bytes: int
    ingested_files: int
    runs: int

    @property
    def amplification(self) -> float:
        """Bytes rewritten for each byte ingested."""
        return self.rewritten_bytes / max(1, self.ingested_bytes)


def replay(given: History, policy: EffectivePolicy, *, days: float) -> Replayed:
    """Replay a history under a policy, looking every ten minutes."""
    table, windows = ReplayedTable(given.partitions), Windows.of(policy)
    _arrive(table, given.before, -np.inf, 0.0)
    rewrites: deque[list[PartitionRewrite]] = deque(maxlen=MOST_RUNS)
    interval, last, rewritten, runs = policy.seconds_of("schedule.min_interval") or 0, -np.inf, 0, 0
    looks: list[tuple[int, int, int, int]] = []
    for look in range(1, round(days * DAY / LOOK_SECONDS) + 1):
        now = float(look * LOOK_SECONDS)
        _arrive(table, given.arrivals, now - LOOK_SECONDS, now)
        if now - last >= interval and not windows.state_at(BEGIN + timedelta(seconds=now)).inside:
            groups = _due_groups(table, given, policy, rewrites, _ms(now))
            if groups:
                partitions = table.replace(groups, _ms(now))
                rewrites.append([PartitionRewrite(0, name, _ms(now), is_full=False) for name in sorted(partitions)])
                rewritten, runs, last = rewritten + sum(group.input_bytes for group in groups), runs + 1, now
        looks.append(_looked(table, _ms(now)))
    came = given.arrivals.at < days * DAY
    debt, settled, worst, files = np.array(looks, np.int64).T
    return Replayed(
        history=given.name,
        debt=debt,
        settled=settled,
        worst=worst,
        files=files,
        rewritten_bytes=rewritten,
        ingested_bytes=int(given.arrivals.bytes[came].sum()),
        ingested_files=int(came.sum()),
        runs=runs,
    )


def broken(preset: str, found: Replayed) -> list[str]:
    """Return the bounds of `balanced` that a result breaks, in words."""
    wrong = []
    if found.amplification > MOST_AMPLIFICATION:
        wrong.append(f"{preset}, {found.history}: write amplification {found.amplification:.2f}")
    if found.worst.max() > MOST_OF_ONE:
        wrong.append(f"{preset}, {found.history}: {found.worst.max()} avoidable files in one partition")
    most = np.maximum(MOST_AVOIDABLE, MOST_SHARE * found.files)
    if (found.settled > most).any():
        at = int(np.argmax(found.settled - most))
        wrong.append(f"{preset}, {found.history}: {found.settled[at]} avoidable files settled, of {found.files[at]}")
    return wrong


def replay_presets(
    *, days: float, seed: int, names: Sequence[str] = NAMES, presets: Sequence[str] = tuple(PRESETS)
) -> dict[str, list[Replayed]]:
    """Replay histories under presets; return the results of each preset in the order of `names`."""
    histories = [history(name, days=days, seed=seed) for name in names]
    return {preset: [replay(each, preset_policy(preset), days=days) for each in histories] for preset in presets}


def preset_policy(name: str) -> EffectivePolicy:
    """Return the policy of a table with a preset and no more than the preset needs."""
    needs = {"limits": {"available_bandwidth": "400MB"}} if name == "artemis" else {}
    return effective_policy(table_properties={}, own=PolicyDocument.model_validate({"preset": name, **needs}))


def report(found: Mapping[str, Sequence[Replayed]], *, days: float, seed: int) -> str:
    """Return a table: each preset on each history."""
    head = (
        "history",
        "preset",
        "files written",
        "avoidable, most",
        "at the end",
        "in one partition",
        "settled",
        "write amplification",
        "runs",
    )
    rows = [
        (
            result.history,
            preset,
            count(result.ingested_files),
            count(int(result.debt.max())),
            count(int(result.debt[-1])),
            count(int(result.worst.max())),
            count(int(result.settled.max())),
            f"{result.amplification:.2f}",
            count(result.runs),
        )
        for results in zip(*found.values(), strict=True)
        for preset, result in zip(found, results, strict=True)
    ]
    return as_table(f"**Presets on write histories of {days:g} days, seed {seed}**", head, rows)


def _looked(table: ReplayedTable, now_ms: int) -> tuple[int, int, int, int]:
    """Return the debt, that of settled partitions, that of the worst partition, and the files."""
    partitions = len(table.partitions)
    small = np.bincount(table.partition[table.bytes < SMALL_BYTES], minlength=partitions)
    avoidable = np.maximum(0, small - 1)
    is_new = table.added_ms > now_ms - 1000 * SETTLED_SECONDS
    is_settled = np.bincount(table.partition[is_new], minlength=partitions) == 0
    return int(avoidable.sum()), int(avoidable[is_settled].sum()), int(avoidable.max()), len(table.number)


def _arrive(table: ReplayedTable, arrivals: Arrivals, after: float, until: float) -> None:
    rows = slice(*np.searchsorted(arrivals.at, [after, until]).tolist())
    table.add(arrivals.partition[rows], arrivals.bytes[rows], _ms(arrivals.at[rows]))


def _due_groups(
    table: ReplayedTable,
    given: History,
    policy: EffectivePolicy,
    rewrites: Sequence[Sequence[PartitionRewrite]],
    now_ms: int,
) -> Sequence[FileGroup]:
    known = RewriteHistory([each for run in rewrites for each in run])
    figures = TableMeasures(times=given.times, known_since_ms=_BEGIN_MS)
    evaluation = evaluate_policy(table.digest(), figures, known, policy, now_ms=now_ms)
    due = plan_due(chosen_of(table, policy), evaluation, NO_STATISTICS, NONE_HOT)
    return () if due is None else due.plan.groups


def _ms(at: float | Floats) -> Any:
    found = _BEGIN_MS + np.asarray(1000 * at, dtype=np.float64).astype(np.int64)
    return found if isinstance(at, np.ndarray) else int(found)
