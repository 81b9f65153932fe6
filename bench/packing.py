"""B8: packing 1,000,000 files into groups, against the volume bound, in seconds.

One partition is the hardest case for the order (contiguous cuts can't stay within 1 % of the bound), many partitions
the common one. There is no peer: the bound is total bytes ÷ capacity, rounded up by partition. Packing is timed alone,
without reading metadata and without making groups out of it.

    python -m bench.packing [--files 1000000] [--json packing.json]
    python -m cProfile -s cumtime -m bench.packing | head -40
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.facts import machine_facts, print_table, write_json
from engine.planning.plans.bin_packing import pack, volume_bound

MIB = 2**20
CAPACITY, TARGET = 1024 * MIB, 128 * MIB

Sizes = Callable[[np.random.Generator, int], Any]
SHAPES: dict[str, Sizes] = {
    "log-normal, median 13 MB": lambda random, n: random.lognormal(np.log(13e6), 0.8, n).clip(1, 96 * MIB),
    "uniform, 1 to 96 MiB": lambda random, n: random.uniform(MIB, 96 * MIB, n),
    "tiny, 125 kB": lambda random, n: random.normal(125e3, 20e3, n).clip(1e3),
}


def main() -> None:
    """Run every shape in one and in many partitions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [
        _measure(name, shape, files=options.files, partitions=partitions, seed=options.seed)
        for name, shape in SHAPES.items()
        for partitions in (1, 4000)
    ]
    print_table(rows)
    write_json(options.json, {"benchmark": "B8", "machine": machine_facts(), "files": options.files, "rows": rows})


def _measure(name: str, shape: Sizes, *, files: int, partitions: int, seed: int) -> dict[str, Any]:
    sizes = shape(np.random.default_rng(seed), files).astype(np.int64)
    parts = np.array_split(sizes, partitions)
    bound = sum(volume_bound(int(part.sum()), CAPACITY) for part in parts)
    began = time.perf_counter()
    bins = sum(len(pack(part, capacity=CAPACITY, target=TARGET)) for part in parts)
    seconds = time.perf_counter() - began
    over = 100 * (bins - bound) / bound
    return {"sizes": name, "partitions": partitions, "bins": bins, "bound": bound, "over_%": over, "seconds": seconds}


if __name__ == "__main__":
    main()
