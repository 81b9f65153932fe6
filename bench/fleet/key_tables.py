"""Replays of key tables: a policy on streams of updates over days, by the product's own rules and plans.

As in `replays`, a look every ten minutes evaluates and plans the table, and a run commits at the instant at which it
starts. Which of a due bucket's sorted runs it merges is a model of Paimon's core (`universal`). A merged run has the
bytes of its inputs, but at most those of all keys of the bucket.

Streams; bytes of a commit are log-normal around the named size (sigma 0.5), in equal parts in its buckets:

- `growing`: 4 buckets, a commit each minute of 4 MiB in all of them, with new keys.
- `updates`: 16 buckets, a commit each minute of 2 MiB in all of them; all keys of a bucket have 64 MiB.
- `daily`: daily partitions of 4 buckets, a commit each five minutes of 8 MiB in all of them; each tenth is one of
  400 kB in one bucket of a day before (exponential, mean two days).
- `small`: one bucket, a commit each five minutes of 100 kB; all keys have 20 MiB.
- `sparse`: 64 buckets, a commit each five minutes of 100 kB in 4 of them; all keys of a bucket have 8 MiB.

Each look counts the sorted runs of the fullest bucket, which every reader of it merges. `balanced` has bounds
(`broken`): no bucket has more sorted runs than `MOST_RUNS` and those that commits added within
`schedule.min_interval` and one look; and each byte is rewritten at most `MOST_AMPLIFICATION` times.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

import numpy as np
import pyarrow as pa

from bench.fleet.histories import BEGIN, DAY, MINUTE
from bench.fleet.population import MIB
from bench.fleet.replays import LOOK_SECONDS, preset_policy
from bench.fleet.tables import as_table, count
from engine.domain.policies import PRESETS, EffectivePolicy
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.values.partitions import TimeUnit
from engine.formats.base import KERNEL_TRAITS, Engine
from engine.planning.due.evaluations import evaluate_policy
from engine.planning.measures.digest import FILE_DIGEST, PartitionTime, TableMeasures
from engine.planning.measures.partition_metrics import RewriteHistory
from engine.planning.plans.groupings import FullScope, MergedRuns
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.services.planning.planner import plan_due
from tests.support.planning import chosen_of

MOST_RUNS: Final = 5
MOST_AMPLIFICATION: Final = 20.0
_MAX_LEVEL: Final = 5  # `num-levels` is one more than the trigger of the table, 5
_SIZE_AMPLIFICATION, _SIZE_RATIO = 200, 1  # percent; defaults of Paimon
_FILE_BYTES: Final = 128 * MIB
_ENDLESS: Final = 2**62
_BEGIN_MS: Final = round(BEGIN.timestamp() * 1000)
_RUNS: Final = MergedRuns(last_level=_MAX_LEVEL, full_scope=FullScope.UNSIZED)
_CORE: Final = replace(KERNEL_TRAITS, name=Engine.NATIVE, grouping=_RUNS)
_SIGMA: Final = 0.5
Place = tuple[str, int]
"""Partition and bucket."""

Commit = tuple[float, str, Sequence[int], int]
"""Seconds since `BEGIN`, partition, buckets, bytes."""


@dataclass(frozen=True, slots=True)
class SortedRun:
    """A file of level 0, or all files of another level of a bucket."""

    level: int
    bytes: int
    added_ms: int


@dataclass(frozen=True, slots=True)
class Stream:
    """Commits of a writer. `key_bytes`: the bytes of all keys of a bucket."""

    name: str
    commits: Sequence[Commit]
    key_bytes: int = _ENDLESS
    times: Mapping[int, PartitionTime] = field(default_factory=dict)


@dataclass(slots=True)
class KeyTable:
    """A model of a table: the sorted runs of each bucket, newest first; with what the planner asks of a table."""

    key_bytes: int
    times: Mapping[int, PartitionTime]
    runs: dict[Place, list[SortedRun]] = field(default_factory=dict)
    head_snapshot_id: int = 1
    schema_id: int = 0
    committed_ms: list[int] = field(default_factory=list)

    def add(self, partition: str, buckets: Sequence[int], size: int, now_ms: int) -> None:
        """Commit a file of level 0 to each of the buckets."""
        self.committed_ms.append(now_ms)
        for bucket in buckets:
            made = SortedRun(0, max(1000, size // len(buckets)), now_ms)
            self.runs.setdefault((partition, bucket), []).insert(0, made)

    def compact(self, place: Place, trigger: int, now_ms: int) -> int:
        """Merge the runs of a bucket that the core selects; return their bytes."""
        runs = self.runs[place]
        number, level = universal(runs, trigger)
        merged = sum(each.bytes for each in runs[:number])
        if number:
            self.runs[place] = [SortedRun(level, min(merged, self.key_bytes), now_ms), *runs[number:]]
        return merged

    def figures(self) -> TableMeasures:
        """Return the times of the newest commits, all that plans of key tables use."""
        committed = dict(enumerate(self.committed_ms[-128:]))
        return TableMeasures(times=self.times, known_since_ms=_BEGIN_MS, has_levels=True, committed_at_ms=committed)

    def digest(self) -> pa.Table:
        """Return the live files, in the shape of `planning.measures.digest.FILE_DIGEST`."""
        files = list(self._files())
        rows, nothing = len(files), np.zeros(len(files), np.int64)
        partitions, buckets, levels, sizes, added = (list(each) for each in zip(*files, strict=True))
        columns: dict[str, Any] = {
            "path": [str(at) for at in range(rows)],
            "partition": pa.array(partitions, pa.string()).dictionary_encode(),
            "file_format": pa.array(["parquet"] * rows).dictionary_encode(),
            "file_bytes": sizes,
            "record_count": [size // 100 for size in sizes],
            "is_encrypted": pa.array([False] * rows),
            "is_outside": pa.array([False] * rows),
            "recorded_order": pa.nulls(rows, FILE_DIGEST.field("recorded_order").type),
            "refusal": pa.nulls(rows, FILE_DIGEST.field("refusal").type),
            "added_at_ms": added,
            "data_at_ms": added,
            "bucket": buckets,
            "level": levels,
        }
        return pa.table({name: columns.get(name, nothing) for name in FILE_DIGEST.names}, schema=FILE_DIGEST)

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, the number of a file in `places`."""
        sizes = [size for _, _, _, size, _ in self._files()]
        return {path: InputFile(path, sizes[int(path)], sizes[int(path)] // 100, int(path)) for path in paths}

    def places(self) -> Sequence[Place]:
        """Return partition and bucket of each file, in the order of `digest`."""
        return [(partition, bucket) for partition, bucket, *_ in self._files()]

    def column_names(self) -> Sequence[str]:
        """Return no columns: predictions of bytes are not used."""
        return ()

    def _files(self) -> Iterator[tuple[str, int, int, int, int]]:
        for (partition, bucket), runs in self.runs.items():
            for run in runs:
                pieces = max(1, -(-run.bytes // _FILE_BYTES)) if run.level else 1
                for _ in range(pieces):
                    yield partition, bucket, run.level, run.bytes // pieces, run.added_ms


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a policy on a stream. `fullest`: sorted runs of the fullest bucket at each look."""

    stream: str
    fullest: Sequence[int]
    most_added: int
    rewritten_bytes: int
    ingested_bytes: int
    runs: int

    @property
    def amplification(self) -> float:
        """Bytes rewritten for each byte ingested."""
        return self.rewritten_bytes / max(1, self.ingested_bytes)


def universal(runs: Sequence[SortedRun], trigger: int) -> tuple[int, int]:
    """Return how many of a bucket's newest runs the core merges, and to which level; 0 if none.

    Source: `org.apache.paimon.mergetree.compact.UniversalCompaction.pick` of Paimon 1.4.2. Packhouse's trigger is one
    more than the core's.
    """
    most = max(1, trigger - 1)
    if len(runs) < most:
        return 0, 0
    if 100 * sum(each.bytes for each in runs[:-1]) > _SIZE_AMPLIFICATION * runs[-1].bytes:
        return len(runs), _MAX_LEVEL
    number = _by_ratio(runs, 1) or (_by_ratio(runs, len(runs) - most + 1) if len(runs) > most else 0)
    if not number:
        return 0, 0
    level = runs[number].level - 1 if number < len(runs) else _MAX_LEVEL
    if level <= 0:  # no output at level 0: merge up to the next other level
        while number < len(runs):
            number += 1
            if runs[number - 1].level:
                level = runs[number - 1].level
                break
    return number, _MAX_LEVEL if number == len(runs) else level


def _by_ratio(runs: Sequence[SortedRun], first: int) -> int:
    """Return how many newest runs are merged by size: `first`, and each next one that is no larger than all these."""
    total, number = sum(each.bytes for each in runs[:first]), first
    for each in runs[first:]:
        if total * (100 + _SIZE_RATIO) / 100 < each.bytes:
            break
        total, number = total + each.bytes, number + 1
    return number if number > 1 else 0


def replay(given: Stream, policy: EffectivePolicy, *, days: float) -> Replayed:
    """Replay a stream under a policy, looking every ten minutes."""
    table, commits, at = KeyTable(given.key_bytes, given.times), given.commits, 0
    interval, last = policy.seconds_of("schedule.min_interval") or 0, -np.inf
    trigger = int(policy.values["rewrite.key_tables.sorted_run_trigger"])
    rewritten = ingested = runs = 0
    fullest: list[int] = []
    for look in range(1, round(days * DAY / LOOK_SECONDS) + 1):
        now = look * LOOK_SECONDS
        while at < len(commits) and commits[at][0] < now:
            when, partition, buckets, size = commits[at]
            table.add(partition, buckets, size, _BEGIN_MS + int(1000 * when))
            at, ingested = at + 1, ingested + size
        fullest.append(max(map(len, table.runs.values()), default=0))
        if now - last >= interval and (places := _due_places(table, policy, _BEGIN_MS + 1000 * now)):
            rewritten += sum(table.compact(place, trigger, _BEGIN_MS + 1000 * now) for place in places)
            runs, last = runs + 1, now
    most = _most_added(given, interval + LOOK_SECONDS)
    return Replayed(given.name, fullest, most, rewritten, ingested, runs)


def broken(preset: str, found: Replayed) -> list[str]:
    """Return the bounds of `balanced` that a result breaks, in words."""
    wrong = []
    if max(found.fullest) > (most := MOST_RUNS + found.most_added):
        wrong.append(f"{preset}, {found.stream}: {max(found.fullest)} sorted runs in a bucket, more than {most}")
    if found.amplification > MOST_AMPLIFICATION:
        wrong.append(f"{preset}, {found.stream}: write amplification {found.amplification:.1f}")
    return wrong


def report(found: Mapping[str, Sequence[Replayed]], *, days: float, seed: int) -> str:
    """Return a table: each preset on each stream."""
    head = ("stream", "preset", "sorted runs, median", "most", "commits between runs", "write amplification", "runs")
    rows = [
        (
            each.stream,
            preset,
            count(float(np.median(each.fullest))),
            count(max(each.fullest)),
            count(each.most_added),
            f"{each.amplification:.1f}",
            count(each.runs),
        )
        for results in zip(*found.values(), strict=True)
        for preset, each in zip(found, results, strict=True)
    ]
    return as_table(f"**Presets on key tables over {days:g} days, seed {seed}**", head, rows)


def stream(name: str, *, days: float, seed: int) -> Stream:
    """Return one of `NAMES` over some days."""
    random = np.random.default_rng(seed)
    write, key_bytes, times = _WRITERS[name]
    return Stream(name, list(write(random, days)), key_bytes, times)


def replay_presets(
    *, days: float, seed: int, presets: Sequence[str] = tuple(PRESETS)
) -> Mapping[str, Sequence[Replayed]]:
    """Replay all streams under presets; return the results of each preset in the order of `NAMES`."""
    streams = [stream(name, days=days, seed=seed) for name in NAMES]
    return {preset: [replay(each, preset_policy(preset), days=days) for each in streams] for preset in presets}


def _due_places(table: KeyTable, policy: EffectivePolicy, now_ms: int) -> Sequence[Place]:
    evaluation = evaluate_policy(
        table.digest(), table.figures(), RewriteHistory([]), policy, now_ms=now_ms, grouping=_CORE.grouping
    )
    chosen = chosen_of(table, policy, _CORE)
    due = plan_due(chosen, evaluation, NO_STATISTICS, NONE_HOT)
    places = table.places()
    return [] if due is None else sorted({places[int(group.inputs[0].path)] for group in due.plan.groups})


def _most_added(given: Stream, seconds: float) -> int:
    """Return the most commits to one bucket within so many seconds."""
    instants: dict[Place, list[float]] = {}
    for at, partition, buckets, _ in given.commits:
        for bucket in buckets:
            instants.setdefault((partition, bucket), []).append(at)
    ends = (np.searchsorted(each, np.array(each) + seconds) - np.arange(len(each)) for each in instants.values())
    return max((int(each.max()) for each in ends), default=0)


def _every(random: np.random.Generator, days: float, seconds: float, around: int) -> Iterator[tuple[float, int]]:
    """Yield the instants of commits, each moved by up to a tenth of the distance, and their bytes."""
    for at in range(int(days * DAY / seconds)):
        yield seconds * (at + 0.1 * random.random()), int(random.lognormal(np.log(around), _SIGMA))


def _growing(random: np.random.Generator, days: float) -> Iterator[Commit]:
    for at, size in _every(random, days, MINUTE, 4 * MIB):
        yield at, "{}", range(4), size


def _updates(random: np.random.Generator, days: float) -> Iterator[Commit]:
    for at, size in _every(random, days, MINUTE, 2 * MIB):
        yield at, "{}", range(16), size


def _daily(random: np.random.Generator, days: float) -> Iterator[Commit]:
    for at, size in _every(random, days, 5 * MINUTE, 8 * MIB):
        if random.random() < 1 / 10:
            before = at - DAY * (1 + random.exponential(2))
            yield at, _day(before), [int(random.integers(4))], size // 20
        else:
            yield at, _day(at), range(4), size


def _small(random: np.random.Generator, days: float) -> Iterator[Commit]:
    for at, size in _every(random, days, 5 * MINUTE, 100_000):
        yield at, "{}", [0], size


def _sparse(random: np.random.Generator, days: float) -> Iterator[Commit]:
    for at, size in _every(random, days, 5 * MINUTE, 100_000):
        yield at, "{}", random.choice(64, size=4, replace=False).tolist(), size


def _day(at: float) -> str:
    return f'{{"day":"{(BEGIN + timedelta(seconds=at)).date().isoformat()}"}}'


_DAYS: Final = {0: PartitionTime("day", TimeUnit.DAY)}
_Writer = Callable[[np.random.Generator, float], Iterator[Commit]]
_WRITERS: Final[Mapping[str, tuple[_Writer, int, Mapping[int, PartitionTime]]]] = {
    "growing": (_growing, _ENDLESS, {}),
    "updates": (_updates, 64 * MIB, {}),
    "daily": (_daily, _ENDLESS, _DAYS),
    "small": (_small, 20 * MIB, {}),
    "sparse": (_sparse, 8 * MIB, {}),
}
NAMES: Final = tuple(_WRITERS)
