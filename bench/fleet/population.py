"""Model a fleet of tables as arrays: rates of writes and scans by table, and live files by partition.

A *cell* is one partition of one table: a day of a table that is partitioned by day, or all of a table that is not.
Files are added to the cell of the present day only. Assumptions, all of them seeded:

- Commits add files at a rate that is log-normal over tables (sigma 2: a hundredth of the tables write most files);
  sizes of files are a table's own, log-normal around 8 MiB. Scans a day are log-normal too, and not correlated with
  either: no strategy knows them.
- Half of the tables are partitioned by day. A scan opens every file of the newest day, of the newest seven, or of all.
- A tenth of the tables belongs to one team, which owns nine of ten of those that write most; the rest is spread over
  39 teams by Zipf's law.
- No file was rewritten in the `history_days` before the beginning.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.planning.predictions.estimates import output_counts

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MIB = 2**20
DAY = 86_400
LARGEST_FILE = 512 * MIB
HEAVY_TEAM = 0
TEAMS = 40
ALL_DAYS = 10_000


@dataclass(frozen=True, slots=True)
class Population:
    """Constants by table. `first_cell` has one entry more: the end of the last table's cells."""

    files_per_day: Floats
    file_bytes: Ints
    scans_per_day: Floats
    scanned_days: Ints
    team: Ints
    phase: Floats
    is_daily: Flags
    first_cell: Ints
    table_of: Ints
    day_of: Ints
    history_days: int

    @property
    def tables(self) -> int:
        """The number of tables."""
        return len(self.team)

    def open_cells(self, day: int) -> Ints:
        """Return by table the cell to which writes go on a day of the scenario; the first day is 0."""
        return self.first_cell[:-1] + np.where(self.is_daily, self.history_days + day, 0)


def make_population(*, tables: int, days: int, history_days: int, seed: int) -> Population:
    """Draw the tables of a fleet."""
    random = np.random.default_rng(seed)
    files = np.clip(random.lognormal(np.log(8), 2.0, tables), 0.2, 100_000)
    is_daily = random.random(tables) < 0.5
    cells = np.where(is_daily, history_days + days, 1)
    first_cell = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
    table_of = np.repeat(np.arange(tables, dtype=np.int64), cells)
    return Population(
        files_per_day=files,
        file_bytes=np.clip(random.lognormal(np.log(8 * MIB), 1.2, tables), 16 * 1024, LARGEST_FILE).astype(np.int64),
        scans_per_day=np.clip(random.lognormal(np.log(4), 1.8, tables), 0.0, 50_000),
        scanned_days=random.choice(np.array([1, 7, ALL_DAYS]), size=tables, p=[0.4, 0.4, 0.2]),
        team=_teams(files, random),
        phase=random.random(tables),
        is_daily=is_daily,
        first_cell=first_cell,
        table_of=table_of,
        day_of=np.arange(len(table_of), dtype=np.int64) - first_cell[table_of] - history_days,
        history_days=history_days,
    )


def _teams(files: Floats, random: np.random.Generator) -> Ints:
    weights = 1 / np.arange(1, TEAMS)
    teams = random.choice(np.arange(1, TEAMS), size=len(files), p=weights / weights.sum()).astype(np.int64)
    heaviest = np.argsort(-files)[: len(files) // 10]
    teams[heaviest[random.random(len(heaviest)) < 0.9]] = HEAVY_TEAM
    return teams


@dataclass(slots=True)
class Files:
    """Files by cell: small ones (below `small_bytes`) with their bytes, and others. Bytes ingested so far."""

    population: Population
    small_bytes: int
    target_bytes: int
    small: Ints
    bytes_of_small: Ints
    others: Ints
    random: np.random.Generator
    ingested: int = 0
    scan_weight: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def after_history(cls, population: Population, *, small_bytes: int, target_bytes: int, seed: int) -> "Files":
        """Return the files at the beginning of the scenario: all that were written in the history."""
        cells = len(population.table_of)
        small, bytes_of_small, others = (np.zeros(cells, np.int64) for _ in range(3))
        random = np.random.default_rng(seed)
        files = cls(population, small_bytes, target_bytes, small, bytes_of_small, others, random)
        days = np.where(population.is_daily[population.table_of], 1, population.history_days)
        past = (population.day_of < 0) | ~population.is_daily[population.table_of]
        files._add(np.arange(cells), files.random.poisson(population.files_per_day[population.table_of] * days * past))
        files.ingested = 0
        return files

    def write(self, seconds: float, day: int) -> Ints:
        """Add the files of some seconds of writes; return the tables that were written to."""
        arrived = self.random.poisson(self.population.files_per_day * seconds / DAY)
        self._add(self.population.open_cells(day), arrived)
        return np.flatnonzero(arrived)

    def scanned(self, seconds: float) -> float:
        """Return how many of the live files scans open in some seconds."""
        return float(self.scan_weight @ (self.small + self.others)) * seconds / DAY

    def begin_day(self, day: int) -> None:
        """Set the weight of each cell: the number of scans a day that open its files."""
        population = self.population
        age = np.where(population.is_daily[population.table_of], day - population.day_of, 0)
        is_read = (age >= 0) & (age < population.scanned_days[population.table_of])
        self.scan_weight = population.scans_per_day[population.table_of] * is_read

    def merge(self, cells: Ints, count: Ints, total: Ints) -> None:
        """Replace `count` small files of each cell, `total` bytes in sum, by the outputs of a rewrite."""
        made = output_counts(total, self.target_bytes)
        is_small = total < self.small_bytes * made
        self.small[cells] += np.where(is_small, made, 0) - count
        self.bytes_of_small[cells] -= np.where(is_small, 0, total)
        self.others[cells] += np.where(is_small, 0, made)

    def avoidable(self) -> tuple[Ints, Ints]:
        """Return by table the avoidable files (as `measures.health`), and the bytes that merging them would read."""
        more = np.maximum(0, self.small - 1)
        return self._by_table(more), self._by_table(np.where(more > 0, self.bytes_of_small, 0))

    def reduction(self) -> Ints:
        """Return by table how many files fewer there would be if all small ones were merged."""
        fewer = np.where(self.small > 1, self.small - output_counts(self.bytes_of_small, self.target_bytes), 0)
        return self._by_table(np.maximum(0, fewer))

    def cells_of(self, table: int) -> Ints:
        """Return the cells of a table."""
        first = self.population.first_cell
        return np.arange(first[table], first[table + 1], dtype=np.int64)

    def _by_table(self, column: Ints) -> Ints:
        return np.add.reduceat(column, self.population.first_cell[:-1])

    def _add(self, cells: Ints, count: Ints) -> None:
        size = self.population.file_bytes[self.population.table_of[cells]]
        is_small = size < self.small_bytes
        self.small[cells] += np.where(is_small, count, 0)
        self.bytes_of_small[cells] += np.where(is_small, count * size, 0)
        self.others[cells] += np.where(is_small, 0, count)
        self.ingested += int((count * size).sum())
