"""Many seeds: played in processes beside each other, added up, and told as a table."""

import gc
import logging
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from multiprocessing import get_context
from typing import Any, Final

import structlog

from tests.simulation.chaos import Chaos, Result
from tests.simulation.plans import draw
from tests.simulation.world import Ground, Machine, open_ground, open_machine, open_world

_COLLECT_EVERY: Final = 5
_CHUNK: Final = 10


def play(seed: int, *, trace: bool = False) -> Result:
    """Play one seed on a machine of its own."""
    with open_machine() as machine:
        _silence(trace=trace)
        return play_on(machine, seed, trace=trace)


def play_on(machine: Machine, seed: int, *, trace: bool = False) -> Result:
    """Play one seed."""
    plan = draw(seed)
    with open_world(machine, seed=seed, **plan.settings) as world:
        world.trace = _tell if trace else None
        _tell(f"seed {seed}: {plan}") if trace else None
        return Chaos(world, plan).run()


def run_seeds(seeds: Sequence[int], *, jobs: int, seconds: float) -> list[Result]:
    """Play seeds in `jobs` processes; tell of each violation at once. After `seconds` no more are begun."""
    until = time.monotonic() + seconds
    context = get_context("spawn")
    chunks = [(seeds[at : at + _CHUNK], until) for at in range(0, len(seeds), _CHUNK)]
    found: list[Result] = []
    numbers = context.Queue()
    for number in range(jobs):
        numbers.put(number)
    with open_ground() as ground, context.Pool(jobs, initializer=_begin, initargs=(ground, numbers)) as pool:
        for results in pool.imap_unordered(_play_chunk, chunks):
            found += results
            for result in results:
                _tell_violations(result)
    return found


def report(results: Iterable[Result]) -> int:
    """Print the table of counts; return 1 when an invariant broke."""
    counts: Counter[str] = Counter()
    checked: Counter[str] = Counter()
    found = list(results)
    for result in found:
        counts.update(result.counts)
        checked.update(result.checked)
    broken = [result for result in found if result.violations]
    lines = [("seeds", len(found)), *sorted(counts.items())]
    lines += [(f"checked {name}", count) for name, count in sorted(checked.items())]
    lines += [("seeds with violations", len(broken))]
    width = max(len(name) for name, _ in lines)
    for name, count in lines:
        _tell(f"{name:<{width}}  {count:>14,}")
    for result in broken:
        _tell_violations(result)
    return int(bool(broken))


def _play_chunk(chunk: tuple[Sequence[int], float]) -> list[Result]:
    seeds, until = chunk
    results = []
    for number, seed in enumerate(seeds):
        if time.monotonic() >= until:
            break
        results.append(play_on(_STATE["machine"], seed))
        if number % _COLLECT_EVERY == 0:
            gc.collect()
    return results


_STATE: Final[dict[str, Any]] = {}


def _begin(ground: Ground, numbers: Any) -> None:
    """Make this process's machine; collecting garbage waits for the ends of seeds."""
    _silence(trace=False)
    _STATE["machine"] = Machine(ground, number=numbers.get())
    gc.freeze()
    gc.disable()


def _silence(*, trace: bool) -> None:
    level = logging.INFO if trace else logging.CRITICAL
    warnings.filterwarnings("ignore", "The garbage collector is trying to clean up")  # connections of killed processes
    logging.getLogger("tests.simulation.record").setLevel(logging.CRITICAL)
    processors: list[Any] = [structlog.processors.add_log_level, structlog.processors.KeyValueRenderer()]
    structlog.configure(processors=processors, wrapper_class=structlog.make_filtering_bound_logger(level))


def _tell_violations(result: Result) -> None:
    for violation in result.violations[:5]:
        _tell(f"seed {result.seed}: {violation.invariant}: {violation.what}")
    if result.violations:
        _tell(f"  again: python -m tests.simulation --seed {result.seed} --trace")


def _tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a tool that prints
