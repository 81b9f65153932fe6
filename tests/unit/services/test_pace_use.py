"""How much a run is taken to be able to use of its share."""

from engine.domain.fleet.budgets import Budget
from engine.queue.budgets import LiveProgress
from engine.services.operations.tasks.pace_use import RunUse

SHARE = Budget(100.0, 10.0)


class Watched:
    """A run whose totals grow at given rates; noted twice a second."""

    def __init__(self) -> None:
        self.use = RunUse()
        self.at = 0.0
        self.totals = [0.0, 0.0, 0.0]
        self.cap = Budget()

    def pass_time(
        self,
        seconds: float,
        *,
        rate: float,
        requests: float = 0.0,
        waited: float = 0.0,
        share: Budget = SHARE,
        tasks: int = 2,
    ) -> Budget:
        """Pass time with this share, or the cap where that is less; return the cap."""
        for _ in range(round(2 * seconds)):
            self.at += 0.5
            for index, growth in enumerate((rate, requests, waited)):
                self.totals[index] += growth / 2
            moved, asked, held = self.totals
            live = LiveProgress(round(moved), 0, held, tasks, rate, requests=round(asked))
            self.cap = self.use.note(self.at, live, share.at_most(self.cap))
        return self.cap


def test_a_run_that_uses_its_share_or_has_no_limit_can_use_anything():
    assert Watched().pass_time(20, rate=95.0, requests=8.0) == Budget()
    assert Watched().pass_time(20, rate=40.0, share=Budget()) == Budget()


def test_a_run_that_uses_little_for_five_seconds_gives_away_what_it_does_not_need_and_more_when_slower():
    run = Watched()
    assert run.pass_time(4.5, rate=40.0, requests=8.0) == Budget()
    assert 85 < (run.pass_time(1, rate=40.0, requests=8.0).bytes_per_second or 0) < 100
    cap = run.pass_time(10, rate=40.0, requests=8.0)
    assert 50 <= (cap.bytes_per_second or 0) <= 40 / 0.7
    assert cap.requests_per_second is None
    assert run.pass_time(30, rate=40.0, requests=8.0) == cap
    run = Watched()
    run.pass_time(20, rate=40.0, requests=8.0)
    cap = run.pass_time(30, rate=10.0, requests=8.0)
    assert 12.5 <= (cap.bytes_per_second or 0) <= 10 / 0.7


def test_a_run_whose_tasks_wait_can_use_more_and_within_two_seconds_anything():
    assert Watched().pass_time(20, rate=40.0, waited=0.5) == Budget()
    run = Watched()
    run.pass_time(10, rate=40.0, requests=8.0)
    assert run.pass_time(2, rate=50.0, requests=8.0, waited=1.0, share=Budget(50.0, 10.0)) == Budget()


def test_one_whose_tasks_are_gone_is_not_judged_by_what_they_did_before():
    run = Watched()
    run.pass_time(10, rate=10.0)
    assert run.pass_time(1, rate=0.0, tasks=0) == Budget()
    assert run.pass_time(4, rate=10.0) == Budget()
