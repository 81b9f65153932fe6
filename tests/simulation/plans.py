"""What befalls a seed, drawn before it begins: tables, policies, limits, and a list of happenings with their times."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any, Final

from tests.simulation.journal import Window
from tests.simulation.loop import EPOCH, START

MIB: Final = 2**20
CATALOGS: Final = ("lake", "pond")
_DAY: Final = 86_400.0
_SHORT: Final = 0.85
"""How many seeds are short: the same faults close together on a table or two find more for the time they take."""
_ON_START: Final = ("drain", "interrupt", "finish")


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happens `at` seconds after the beginning; `what` is a method of `chaos.Chaos`."""

    at: float
    what: str
    arguments: tuple[Any, ...] = ()


@dataclass
class TablePlan:
    """A table as it is at the beginning."""

    name: str
    catalog: str
    team: str | None
    policy: Mapping[str, Any]
    windows: tuple[Window, ...]
    partitions: Mapping[str, list[int]]


@dataclass
class Plan:
    """A whole seed. `settings` are those of the engine; `faults` by name hold all the time."""

    seed: int
    seconds: float
    settings: dict[str, Any]
    workers: int
    coordinators: int
    limits: dict[str, Any]
    speed: float
    tables: list[TablePlan]
    faults: dict[str, dict[str, float]]
    happenings: list[Happening] = field(default_factory=list)


def draw(seed: int) -> Plan:
    """Return the plan of a seed."""
    random = Random(f"plan {seed}")
    is_short = random.random() < _SHORT
    seconds = random.uniform(6, 16) if is_short else random.uniform(20, 60)
    plan = Plan(
        seed=seed,
        seconds=seconds,
        settings={
            "lease_seconds": random.choice([5, 8, 15]),
            "worker_slots": random.choice([1, 2, 3]),
            "max_failures": random.choice([3, 5]),
            "commit_batch_bytes": random.choice([24 * MIB, 8 * 2**30]),
            "commit_batch_seconds": random.choice([3, 60]),
        },
        workers=random.randint(1, 3),
        coordinators=random.choice([1, 1, 2]),
        limits=limits(random),
        speed=random.choice([8e6, 20e6, 40e6]),
        tables=[_table(random, number, seconds) for number in range(random.randint(1, 2 if is_short else 5))],
        faults=_faults(random),
    )
    plan.happenings = sorted(_happenings(random, plan), key=lambda each: each.at)
    return plan


def limits(random: Random) -> dict[str, Any]:
    """Draw the fleet's limits; a rate needs `parallel_runs`. Groups follow from a rate: seeds stay as they were."""
    found: dict[str, Any] = {}
    if random.random() < 0.7:
        found["parallel_runs"] = random.randint(1, 4)
        if random.random() < 0.7:
            megabytes = random.randint(4, 30)
            found["bandwidth"] = megabytes * 1_000_000
            if megabytes % 2:
                found["parallel_groups"] = 1 + megabytes // 2 % 3
        if random.random() < 0.3:
            own = {"parallel_runs": random.randint(1, 2), "bandwidth": random.randint(3, 20) * 1_000_000}
            name = random.choice(sorted(own))
            found["catalogs"] = {random.choice(CATALOGS): {name: own[name]}}
    return found


def policy(random: Random, seconds: float, since: float = 0.0) -> tuple[dict[str, Any], tuple[Window, ...]]:
    """Draw a table's policy, with its windows in seconds of the loop."""
    group = random.choice([8, 16, 32])
    own: dict[str, Any] = {"parallel_groups": random.randint(1, 3)}
    if random.random() < 0.4:
        own["bandwidth"] = random.randint(3, 20) * 1_000_000
    if random.random() < 0.2:
        own["bytes_per_day"] = random.randint(2, 8) * group * MIB
    document: dict[str, Any] = {
        "rewrite": {
            "target_file_bytes": 32 * MIB,
            "max_group_bytes": 32 * MIB,
            "min_input_files": random.randint(2, 4),
        },
        "triggers": [
            {"name": "small files", "all": [{"metric": "small_file_count", "at_least": random.randint(3, 10)}]}
        ],
        "limits": own,
        "schedule": {"min_interval": random.choice(["0s", "10s", "30s"])},
        "priority": random.choice(["low", "normal", "high"]),
    }
    if random.random() < 0.2:
        document["schedule"]["urgent_after"] = random.choice(["20s", "1m"])
    if random.random() < 0.25:
        document["backoff"] = {
            "signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s",
        }  # fmt: skip
    windows: list[Window] = []
    if random.random() < 0.3:
        _add_blackout(random, document, windows, since, seconds)
    if random.random() < 0.2:
        _add_quiet_hours(random, document, windows)
    return document, tuple(windows)


def _add_blackout(
    random: Random, document: dict[str, Any], windows: list[Window], since: float, seconds: float
) -> None:
    start = EPOCH + timedelta(seconds=round(random.uniform(since, since + seconds)))
    end = start + timedelta(seconds=random.randint(8, 40))
    on_start = random.choice(_ON_START)
    document["blackouts"] = [{"from": f"{start:%Y-%m-%dT%H:%M:%SZ}", "to": f"{end:%Y-%m-%dT%H:%M:%SZ}"}]
    document["blackouts"][0] |= {"reason": "a freeze", "on_start": on_start}
    begins, ends = ((at - EPOCH).total_seconds() + START for at in (start, end))
    windows.append(Window("blackout", begins, ends, on_start))


def _add_quiet_hours(random: Random, document: dict[str, Any], windows: list[Window]) -> None:
    """A window of one minute in the first two minutes; the record's days pass while runs wait for their budget."""
    minute, on_start = random.randint(0, 1), random.choice(_ON_START)
    document["quiet_hours"] = [{"from": f"08:0{minute}", "to": f"08:0{minute + 1}", "on_start": on_start}]
    for day in range(4):
        begins = START + minute * 60 + day * _DAY
        windows.append(Window("quiet_hours", begins, begins + 60, on_start))


def _table(random: Random, number: int, seconds: float) -> TablePlan:
    document, windows = policy(random, seconds)
    partitions = {
        f'{{"day":"2026-11-0{day + 1}"}}': [random.randint(1, 6) * MIB for _ in range(random.randint(2, 9))]
        for day in range(random.randint(1, 3))
    }
    catalog, team = random.choice(["lake", "lake", "pond"]), random.choice([None, "red", "blue"])
    return TablePlan(f"t{number}", catalog, team, document, windows, partitions)


def _faults(random: Random) -> dict[str, dict[str, float]]:
    kinds = {
        "redis": ("lost", "doubled", "late"),
        "catalog": ("refused", "lost_request", "lost_answer", "late"),
        "tasks": ("raises", "fails", "hangs"),
    }
    return {
        kind: {name: random.uniform(0, 0.15) for name in names} if random.random() < 0.5 else {}
        for kind, names in kinds.items()
    }


def _happenings(random: Random, plan: Plan) -> list[Happening]:
    found: list[Happening] = []

    def some(most: int, what: str, arguments: Callable[[], tuple[Any, ...]] = tuple) -> None:
        times = [random.uniform(0, plan.seconds) for _ in range(random.randint(0, most))]
        found.extend(Happening(at, what, arguments()) for at in times)

    for number in range(len(plan.tables)):
        at = random.uniform(0, plan.seconds / 4)
        while at < plan.seconds:
            found.append(Happening(at, "write", (number, random.random(), random.randrange(2**32))))
            at += random.expovariate(1 / (plan.seconds / random.choice([2, 5, 12])))
    any_table = lambda: random.randrange(len(plan.tables))  # noqa: E731 - drawn anew each time
    found.append(Happening(random.uniform(0, 5), "submit", (any_table(), False, False)))
    some(5, "submit", lambda: (any_table(), random.random() < 0.2, random.random() < 0.1))
    some(2, "cancel", lambda: (random.random(),))
    some(1, "pause_table", lambda: (any_table(), random.random() < 0.5, random.uniform(3, 20)))
    some(1, "pause_catalog", lambda: (random.choice(CATALOGS), random.random() < 0.5, random.uniform(3, 15)))
    some(1, "pause_fleet", lambda: (random.random() < 0.5, random.uniform(3, 15)))
    some(2, "change_policy", lambda: (any_table(), random.randrange(2**32)))
    some(1, "change_limits", lambda: (random.randrange(2**32),))
    some(4, "tell_latency", lambda: (any_table(), random.choice([0.5, 1.5, 3.0, 6.0])))
    if random.random() < 0.8:
        some(4, "kill", lambda: (random.random(), random.uniform(0, 12)))
        some(3, "kill_soon", lambda: (random.randrange(1, 100), random.uniform(0, 8)))
        some(2, "stop", lambda: (random.random(), random.uniform(0, 5)))
    if random.random() < 0.5:
        some(3, "freeze", lambda: (random.random(), random.choice([0.3, 3.0, 12.0, 25.0])))
        some(1, "turn_clock", lambda: (random.random(), random.choice([-300.0, -20.0, 20.0, 300.0])))
    if random.random() < 0.5:
        some(2, "lose_redis", lambda: (random.uniform(0.5, 15),))
        some(1, "flush_redis")
    if random.random() < 0.5:
        some(2, "lose_database", lambda: (random.uniform(0.2, 8),))
        some(1, "lose_catalog", lambda: (random.uniform(0.5, 15),))
    if random.random() < 0.5:
        some(2, "lose_spark", lambda: (random.uniform(0.5, 15),))
        some(1, "restart_spark")
        some(1, "go_deaf", lambda: (random.uniform(2, 20),))
    return found
