"""B5: files that a query reads after clustering, by raw z-order, z-order of ranks, and the Hilbert curve on ranks.

Arithmetic alone: rows of 2 to 4 columns are put into order, cut into files of equally many rows, and every query counts
the files whose ranges it meets in all of its columns. Queries are of what people ask for: a range on one column (1 % of
the rows by that column), and a box on two (5 % x 5 %); their places are drawn from the rows, so they lie where the data
lies. `raw z-order` is the peer's: it interleaves all bits of the values as they are, of 8 bytes each; ours are the
kernel's own orders.

Data: `uniform` (each column over the whole of 2^32), `skewed` (log-normal, each column in units of its own), `mixed` (a
time that grows, a power law of 1,000 values, a log-normal, a uniform one).

    python -m bench.clustering [--rows 1000000] [--files 256] [--queries 400] [--json clustering.json]
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bench.facts import machine_facts, print_table, write_json
from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.ordering.curves import zorder_keys
from engine.rewriting.kernel.ordering.keys import order_of

Columns = list[npt.NDArray[np.int64]]
Order = npt.NDArray[np.int64]
_WORD = 16


def _uniform(random: np.random.Generator, rows: int, columns: int) -> Columns:
    return [random.integers(0, 2**32, rows) for _ in range(columns)]


def _skewed(random: np.random.Generator, rows: int, columns: int) -> Columns:
    scales = (1e3, 1e6, 1.0e1, 1e9)
    return [(random.lognormal(0, 2.5, rows) * scale).astype(np.int64) for scale in scales[:columns]]


def _mixed(random: np.random.Generator, rows: int, columns: int) -> Columns:
    made = [
        1_700_000_000_000_000 + np.sort(random.integers(0, 86_400 * 30 * 10**6, rows)),
        (1000 * random.power(0.2, rows)).astype(np.int64),
        (random.lognormal(0, 2, rows) * 1e4).astype(np.int64),
        random.integers(0, 2**40, rows),
    ]
    return made[:columns]


DATA: dict[str, Callable[[np.random.Generator, int, int], Columns]] = {
    "uniform": _uniform,
    "skewed": _skewed,
    "mixed": _mixed,
}


def _raw_zorder(columns: Columns) -> Order:
    """Interleave all 64 bits of every column, the highest 16 of each first, as the peer does with 8 bytes each."""
    ordered = [column.view(np.uint64) ^ np.uint64(1 << 63) for column in columns]
    words = [
        zorder_keys([((column >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.uint16) for column in ordered], _WORD)
        for shift in (48, 32, 16, 0)
    ]
    return np.lexsort(words[::-1])


def _ours(strategy: str) -> Callable[[Columns], Order]:
    def order(columns: Columns) -> Order:
        wanted = RowOrder(strategy, tuple(SortColumn(at) for at in range(len(columns))))
        return order_of([pa.chunked_array([pa.array(column)]) for column in columns], wanted)

    return order


LAYOUTS: dict[str, Callable[[Columns], Order]] = {
    "raw z-order": _raw_zorder,
    "rank z-order": _ours("zorder"),
    "hilbert on ranks": _ours("hilbert"),
    "sort by the first": _ours("sort"),
}


def main() -> None:
    """Lay out every kind of data in every way and ask both kinds of queries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=256)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [
        _measure(name, columns, rows=options.rows, files=options.files, queries=options.queries, seed=options.seed)
        for name in DATA
        for columns in (2, 3, 4)
    ]
    print_table(rows)
    write_json(options.json, {"benchmark": "B5", "machine": machine_facts(), "files": options.files, "rows": rows})


def _measure(data: str, count: int, *, rows: int, files: int, queries: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    columns = DATA[data](random, rows, count)
    ranges, boxes = _ranges(columns, queries, random), _boxes(columns, queries, random)
    found: dict[str, tuple[float, float]] = {}
    for name, layout in LAYOUTS.items():
        bounds = _bounds(columns, layout(columns), files)
        found[name] = (_mean_files(bounds, ranges), _mean_files(bounds, boxes))
    row: dict[str, Any] = {"data": data, "columns": count}
    for at, kind in enumerate(("range", "box")):
        row |= {f"{kind}: {name}": figures[at] for name, figures in found.items()}
        row[f"{kind}: hilbert/rank"] = found["hilbert on ranks"][at] / found["rank z-order"][at]
        row[f"{kind}: hilbert/raw"] = found["hilbert on ranks"][at] / found["raw z-order"][at]
    return row


Query = dict[int, tuple[int, int]]
"""By column, the least and the greatest value asked for."""


def _ranges(columns: Columns, queries: int, random: np.random.Generator) -> list[Query]:
    return [{at % len(columns): _part(columns[at % len(columns)], 0.01, random)} for at in range(queries)]


def _boxes(columns: Columns, queries: int, random: np.random.Generator) -> list[Query]:
    made = []
    for _ in range(queries):
        one, other = random.choice(len(columns), 2, replace=False).tolist()
        made.append({at: _part(columns[at], 0.05, random) for at in (one, other)})
    return made


def _part(column: npt.NDArray[np.int64], share: float, random: np.random.Generator) -> tuple[int, int]:
    start = random.uniform(0, 1 - share)
    low, high = np.quantile(column, [start, start + share], method="nearest")
    return int(low), int(high)


def _bounds(columns: Columns, order: Order, files: int) -> list[tuple[Any, Any]]:
    starts = np.linspace(0, len(order), files, endpoint=False).astype(np.int64)
    return [
        (np.minimum.reduceat(column[order], starts), np.maximum.reduceat(column[order], starts)) for column in columns
    ]


def _mean_files(bounds: list[tuple[Any, Any]], queries: list[Query]) -> float:
    counts = []
    for query in queries:
        met = [(bounds[at][0] <= high) & (bounds[at][1] >= low) for at, (low, high) in query.items()]
        counts.append(int(np.logical_and.reduce(met).sum()))
    return float(np.mean(counts))


if __name__ == "__main__":
    main()
