"""Compare selection strategies on the same fleet, writers, scans and machine, and return the outcome of each.

Time advances in steps of ten minutes: writers write, scans open files, the strategy selects tables, and the machine
processes the step event by event. Every strategy is measured with the same definition of a *due* partition, the rule
`choosers.RULED`; a due partition waits until a run that includes it starts, or until the end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench.fleet.choosers import (
    LIMITS,
    LOOK_SECONDS,
    Greedy,
    NoCompaction,
    Product,
    TopHundred,
    due_cells,
    machine_of,
)
from bench.fleet.machine import Chooser, Machine
from bench.fleet.population import DAY, HEAVY_TEAM, Files, Floats, Ints, make_population
from bench.fleet.tables import as_table, count, size

GIB = 2**30


_CHOOSERS: Sequence[Callable[[Files, float, int], Chooser]] = (
    lambda _files, _rate, _slots: NoCompaction(),
    lambda files, _rate, _slots: Product(files),
    lambda files, _rate, _slots: TopHundred(files),
    Greedy,
    lambda files, rate, slots: Greedy(files, rate, slots, period=DAY),
)
PACKHOUSE = 1


@dataclass(frozen=True, slots=True)
class Setting:
    """One race. `capacity`: bytes that can be rewritten, as a multiple of the bytes that writers add."""

    tables: int
    days: int
    history_days: int
    capacity: float
    slots: int = 32
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one strategy. Waits in hours; `worst_waits` by table that was due at least once."""

    name: str
    files_by_day: Sequence[int]
    opened: float
    rewritten_bytes: int
    ingested_bytes: int
    runs: int
    tables_rewritten: int
    worst_waits: Floats
    never_served: int
    heavy_share: float
    worst_wait_of_others: float

    @property
    def amplification(self) -> float:
        """Bytes rewritten for each byte written."""
        return self.rewritten_bytes / max(1, self.ingested_bytes)

    def saved_per_gib(self, nothing: "Outcome") -> float:
        """Return how many opened files each rewritten GiB saved."""
        return (nothing.opened - self.opened) * GIB / max(1, self.rewritten_bytes)


def race(setting: Setting) -> list[Outcome]:
    """Run every strategy on a copy of one fleet; the first outcome is the one without compaction."""
    return [alone(setting, at) for at in range(len(_CHOOSERS))]


def alone(setting: Setting, which: int) -> Outcome:
    """Run one strategy, by its place in `_CHOOSERS`."""
    population = make_population(
        tables=setting.tables, days=setting.days, history_days=setting.history_days, seed=setting.seed
    )
    rate = setting.capacity * float((population.files_per_day * population.file_bytes).sum()) / DAY
    files = Files.after_history(
        population, small_bytes=LIMITS.small_bytes, target_bytes=LIMITS.target_bytes, seed=setting.seed
    )
    chooser = _CHOOSERS[which](files, rate, setting.slots)
    machine = machine_of(files, slots=setting.slots, bytes_per_second=rate)
    waits = Waits(files, machine)
    opened, by_day = 0.0, []
    steps = int(setting.days * DAY / LOOK_SECONDS)
    for step in range(steps):
        now = step * LOOK_SECONDS
        day = int(now // DAY)
        if now % DAY == 0:
            files.begin_day(day)
            by_day.append(int((files.small + files.others).sum()))
        changed = population.open_cells(day)[files.write(LOOK_SECONDS, day)]
        waits.look(now, changed)
        chooser.observe(now, LOOK_SECONDS, changed)
        machine.work(chooser, now, now + LOOK_SECONDS)
        waits.served()
        opened += files.scanned(LOOK_SECONDS)
    by_day.append(int((files.small + files.others).sum()))
    return _outcome(chooser.name, waits.ended(steps * LOOK_SECONDS), by_day, opened)


@dataclass(slots=True)
class Waits:
    """The instant since which each cell is due, and the longest wait of each table."""

    files: Files
    machine: Machine
    since: Floats = field(default_factory=lambda: np.zeros(0))
    worst: Floats = field(default_factory=lambda: np.zeros(0))
    was_served: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    _seen: int = 0
    _touched: list[Ints] = field(default_factory=list)

    def look(self, now: float, changed: Ints) -> None:
        """Evaluate the cells whose state may have changed."""
        if not len(self.since):
            self.since = np.full(len(self.files.small), np.nan)
            self.worst = np.full(self.files.population.tables, -1.0)
            self.was_served = np.zeros(self.files.population.tables, np.int64)
            changed = np.arange(len(self.since))
        table_of, held = self.files.population.table_of, self.machine.held
        over = [cells for cells in self._touched if not held[table_of[cells[0]]]]
        self._touched = [cells for cells in self._touched if held[table_of[cells[0]]]]
        cells = np.unique(np.concatenate([changed, *over]))
        cells = cells[held[table_of[cells]] == 0]
        is_due = due_cells(self.files, cells)
        self.since[cells] = np.where(is_due, np.where(np.isnan(self.since[cells]), now, self.since[cells]), np.nan)
        np.maximum.at(self.worst, table_of[cells[is_due]], 0.0)

    def served(self) -> None:
        """End the waits of the cells whose runs started since the last call."""
        for table, at, cells in self.machine.starts[self._seen :]:
            waited = at - self.since[cells]
            if len(waited) and not np.isnan(waited).all():
                self.worst[table] = max(self.worst[table], float(np.nanmax(waited)))
                self.was_served[table] = 1
            self.since[cells] = np.nan
            if len(cells):
                self._touched.append(cells)
        self._seen = len(self.machine.starts)

    def ended(self, now: float) -> "Waits":
        """Add the waits that have not ended."""
        waiting = np.flatnonzero(~np.isnan(self.since))
        np.maximum.at(self.worst, self.files.population.table_of[waiting], now - self.since[waiting])
        return self


def _outcome(name: str, waits: Waits, by_day: Sequence[int], opened: float) -> Outcome:
    machine, files = waits.machine, waits.files
    was_due = waits.worst >= 0
    is_heavy = files.population.team == HEAVY_TEAM
    others = waits.worst[was_due & ~is_heavy]
    total = int(machine.rewritten.sum())
    return Outcome(
        name=name,
        files_by_day=by_day,
        opened=opened,
        rewritten_bytes=total,
        ingested_bytes=files.ingested,
        runs=len(machine.starts),
        tables_rewritten=int(np.count_nonzero(machine.rewritten)),
        worst_waits=np.sort(waits.worst[was_due]) / 3600,
        never_served=int(np.count_nonzero(was_due & (waits.was_served == 0))),
        heavy_share=float(machine.rewritten[is_heavy].sum() / max(1, total)),
        worst_wait_of_others=float(others.max(initial=0.0)) / 3600,
    )


def broken(outcomes: Sequence[Outcome]) -> list[str]:
    """Return in words each promise that Packhouse does not keep: shorter waits than the peers', and fewer opened files.

    Greedy scoring may open fewer files: it serves the most valuable tables and leaves the others.
    """
    nothing, ours, *peers = outcomes
    found = [
        f"95 % of tables wait {np.percentile(ours.worst_waits, 95):.1f} h, {np.percentile(each.worst_waits, 95):.1f} h "
        f"with {each.name}"
        for each in peers
        if np.percentile(ours.worst_waits, 95) > np.percentile(each.worst_waits, 95)
    ]
    if not ours.opened < peers[0].opened < nothing.opened:
        found.append(f"scans open {count(ours.opened)} files, {count(peers[0].opened)} with {peers[0].name}")
    return found


def report(setting: Setting, outcomes: Sequence[Outcome]) -> str:
    """Return the table of a race."""
    nothing, *others = outcomes
    rows = []
    for each in (nothing, *others):
        is_idle = each.rewritten_bytes == 0
        rows.append(
            (
                each.name,
                " ".join(count(files) for files in each.files_by_day[:: max(1, setting.days // 4)]),
                count(each.opened),
                "-" if is_idle else f"{100 * (1 - each.opened / nothing.opened):.1f} %",
                size(each.rewritten_bytes),
                f"{each.amplification:.2f}",
                "-" if is_idle else count(each.saved_per_gib(nothing)),
                count(each.runs),
                f"{each.worst_waits[-1]:.1f} h",
                f"{np.percentile(each.worst_waits, 95):.1f} h",
                count(each.never_served),
                "-" if is_idle else f"{100 * each.heavy_share:.0f} %",
            )
        )
    daily = size(nothing.ingested_bytes / setting.days)
    title = (
        f"**{setting.tables:,} tables, {setting.days} days after {setting.history_days} of backlog, {daily} a day, "
        f"capacity {setting.capacity:g} x that, seed {setting.seed}**"
    )
    head = (
        "strategy",
        f"files, every {max(1, setting.days // 4)} d",
        "opened by scans",
        "saved",
        "rewritten",
        "write amplification",
        "opens saved per GiB",
        "runs",
        "longest wait",
        "95 % of tables below",
        "due, never served",
        "heavy team's bytes",
    )
    return as_table(title, head, rows)
