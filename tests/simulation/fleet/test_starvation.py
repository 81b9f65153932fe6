"""No run waits forever: a backlog, a flood of high priority and a table without an end leave others their turn."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

from bench.fleet.line import Line
from bench.fleet.starvation import Starved, starve
from engine.domain.runs.run import ReadyRun
from tests.simulation.fleet.record_line import RecordLine
from tests.simulation.loop import VirtualLoop
from tests.simulation.record import make_template, open_record


def test_every_run_begins_within_its_bound() -> None:
    assert starve(Line(), hours=24, backlog=2000).broken() == []


def test_the_check_fails_when_turns_go_by_submission_alone() -> None:
    assert starve(Line(by_submission), hours=24, backlog=2000).broken()


def test_the_record_gives_the_same_turns(tmp_path: Path) -> None:
    loop = VirtualLoop()
    record = open_record(make_template(tmp_path), name="line", loop=loop, random=Steady())
    found: list[Starved] = []

    async def compete() -> None:
        queue = RecordLine(loop=loop, database=record.database())
        found.append(await asyncio.to_thread(starve, queue, hours=2, backlog=60))

    loop.finish(compete())
    record.close()
    assert found[0].order == starve(Line(), hours=2, backlog=60).order


class Steady(Random):
    """No transaction takes any time, so that runs are submitted at the same instants in memory and in the record."""

    def random(self) -> float:
        return 0.99


def by_submission(ready: Iterable[ReadyRun], held: Mapping[str, int]) -> Sequence[ReadyRun]:
    return sorted(ready, key=lambda run: run.id)
