"""Bulkheads: what one table's unanswered calls hold, what others still get, and what callers are told."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import pytest

from engine.domain.errors import Away, OutcomeUnknown, StateConflict, TableUnreadable, Transient
from engine.domain.tables.table import TableRef
from engine.formats.intake.overlapping import overlapped
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned
from engine.services.catalogs.bulkheads import calls
from engine.services.catalogs.bulkheads.calls import Bulkheads
from engine.services.catalogs.bulkheads.compartments import Compartment, ThreadLimits
from engine.services.catalogs.bulkheads.computing import TimedCall
from tests.support.eventually import seen_when, until

STUCK = Compartment.of(TableRef("lake", ("a",), "stuck"))
CALM = Compartment.of(TableRef("lake", ("a",), "calm"))
ELSEWHERE = Compartment.of(TableRef("other", ("a",), "calm"))


class Store:
    """A store whose calls answer once it is told to; counts those at work."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.begun = self.at_once = self.most_at_once = 0
        self._changed = threading.Condition()

    def call(self) -> str:
        with self._changed:
            self.begun += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self._changed.notify_all()
        self.answers.wait(60)
        with self._changed:
            self.at_once -= 1
            self._changed.notify_all()
        return "answer"

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition on the counts holds, checked at each change of them."""

        def wait() -> None:
            with self._changed:
                assert self._changed.wait_for(holds, 30)

        await asyncio.to_thread(wait)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    made = Store()
    yield made
    made.answers.set()


def bulkheads(**limits: float) -> Bulkheads:
    return Bulkheads(ThreadLimits(**({"per_table": 2, "per_catalog": 4, "total": 6} | limits)))  # type: ignore[arg-type]


def asked(count: int, bulk: Bulkheads, store: Store, where: Compartment = STUCK) -> "list[asyncio.Task[str]]":
    return [asyncio.create_task(bulk.read(where, store.call)) for _ in range(count)]


async def test_calls_of_one_table_wait_for_its_own_threads_and_no_others(store: Store) -> None:
    bulk = bulkheads()
    stuck = asked(20, bulk, store)
    await store.until(lambda: store.begun == 2)
    assert await bulk.read(CALM, lambda: "calm") == "calm"
    assert await bulk.read(Compartment.of("lake"), lambda: "listed") == "listed"
    assert await bulk.read(ELSEWHERE, lambda: "calm") == "calm"
    assert not any(task.done() for task in stuck)
    store.answers.set()
    assert set(await asyncio.gather(*stuck)) == {"answer"}
    assert (store.begun, store.most_at_once) == (20, 2)


async def test_tables_of_one_catalog_together_hold_no_more_than_its_bound(store: Store) -> None:
    bulk = bulkheads(line_seconds=0.05)
    names = [Compartment.of(TableRef("lake", ("a",), name)) for name in ("one", "two")]
    for where in names:
        asked(2, bulk, store, where)
    await store.until(lambda: store.begun == 4)
    with pytest.raises(Transient, match="busy: catalog 'lake' with its tables has 4 calls"):
        await bulk.read(CALM, lambda: "calm")
    assert await bulk.read(ELSEWHERE, lambda: "calm") == "calm"


async def test_the_threads_of_all_catalogs_are_bounded(store: Store) -> None:
    bulk = bulkheads(line_seconds=0.05, total=3)
    asked(2, bulk, store)
    asked(1, bulk, store, ELSEWHERE)
    await store.until(lambda: store.begun == 3)
    with pytest.raises(Transient, match="busy: this process has 3 calls"):
        await bulk.read(Compartment.of("third"), lambda: "calm")


async def test_a_call_without_an_answer_is_given_up_and_its_thread_stays_counted(store: Store) -> None:
    bulk = bulkheads(read_seconds=0.05)
    for task in asked(2, bulk, store):
        with pytest.raises(Transient, match=r"^table lake\.a\.stuck did not answer within 0\.05 seconds$") as caught:
            await task
        assert caught.value.retry_after_seconds == 10
    with pytest.raises(
        Transient, match=r"^busy: table lake\.a\.stuck has 2 calls that have not answered for up to 0 s"
    ):
        await bulk.read(STUCK, lambda: "answer")
    assert store.begun == 2
    store.answers.set()
    await store.until(lambda: store.at_once == 0)
    assert await bulk.read(STUCK, lambda: "answer") == "answer"


async def test_callers_in_line_are_refused_once_no_thread_can_be_expected(store: Store) -> None:
    bulk = bulkheads(read_seconds=0.1, line_seconds=60)
    answers = await asyncio.gather(*asked(10, bulk, store), return_exceptions=True)
    assert store.begun == 2
    assert sorted(str(answer).split(" ")[0] for answer in answers) == ["busy:"] * 8 + ["table"] * 2


async def test_the_line_of_one_table_is_bounded(store: Store) -> None:
    bulk = bulkheads(in_line=3)
    asked(5, bulk, store)
    await store.until(lambda: store.begun == 2)
    with pytest.raises(Transient, match="busy: table"):
        await bulk.read(STUCK, lambda: "answer")


async def test_a_caller_that_goes_away_leaves_its_thread_counted(store: Store) -> None:
    bulk = bulkheads(line_seconds=0.05)
    tasks = asked(3, bulk, store)
    await store.until(lambda: store.begun == 2)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    with pytest.raises(Transient, match="busy"):
        await bulk.read(STUCK, store.call)
    assert store.begun == 2


async def test_equal_reads_that_have_not_begun_are_one(store: Store) -> None:
    bulk = bulkheads()
    begun = asked(2, bulk, store)
    await store.until(lambda: store.begun == 2)
    later = [asyncio.create_task(bulk.read_shared(STUCK, "open", store.call)) for _ in range(20)]
    other = asyncio.create_task(bulk.read_shared(STUCK, "another", store.call))
    store.answers.set()
    await asyncio.gather(*begun, *later, other)
    assert store.begun == 2 + 1 + 1


async def test_a_read_that_has_begun_is_joined_by_nobody(store: Store) -> None:
    bulk = bulkheads()
    tasks = []
    for number in (1, 2):  # what the first sees may be older than the question of the second
        tasks.append(asyncio.create_task(bulk.read_shared(STUCK, "open", store.call)))
        await store.until(lambda number=number: store.begun == number)  # type: ignore[misc]
    store.answers.set()
    await asyncio.gather(*tasks)


async def test_one_of_the_callers_of_a_shared_read_may_go_away(store: Store) -> None:
    bulk = bulkheads()
    first, second = [asyncio.create_task(bulk.read_shared(STUCK, "open", store.call)) for _ in range(2)]
    await store.until(lambda: store.begun == 1)
    first.cancel()
    store.answers.set()
    assert await second == "answer"


async def test_a_change_without_an_answer_has_an_unknown_outcome(store: Store) -> None:
    bulk = bulkheads(work_seconds=0.05, per_table=1)
    with pytest.raises(OutcomeUnknown, match=r"table lake\.a\.stuck did not answer within 0\.05 seconds"):
        await bulk.change(STUCK, store.call)
    with pytest.raises(Transient, match="busy"):  # refused before anything was sent
        await bulk.change(STUCK, store.call)
    assert store.begun == 1


async def test_a_cancelled_change_is_waited_for(store: Store) -> None:
    change = asyncio.create_task(bulkheads().change(STUCK, store.call))
    await store.until(lambda: store.begun == 1)
    change.cancel()
    _, pending = await asyncio.wait({change}, timeout=0)
    assert pending
    store.answers.set()
    with pytest.raises(asyncio.CancelledError):
        await change
    assert store.at_once == 0


async def test_a_step_of_a_run_waits_longer_than_a_read(store: Store) -> None:
    bulk = bulkheads(read_seconds=0.01, line_seconds=0.01)
    step = asyncio.create_task(bulk.read(STUCK, store.call, is_work=True))
    with pytest.raises(Transient):
        await bulk.read(STUCK, store.call)
    assert not step.done()
    store.answers.set()
    assert await step == "answer"


@pytest.mark.parametrize("error", [ValueError("bad"), StopIteration("end"), SystemExit(1)])
async def test_what_a_call_raises_reaches_its_caller_and_frees_the_thread(error: BaseException) -> None:
    def fail() -> None:
        raise error

    bulk = bulkheads(per_table=1)
    for _ in range(3):
        with pytest.raises((type(error), RuntimeError)):
            await bulk.read(STUCK, fail)


def compute_for_ever() -> None:
    total = 0
    while True:
        total += 1


@pytest.fixture
def checks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "CHECK_SECONDS", 0.02)


@pytest.mark.usefixtures("checks_often")
@pytest.mark.parametrize("is_work", [True, False])
async def test_f41_a_read_that_computes_for_ever_is_an_error_of_its_table_and_gives_its_thread_back(
    is_work: bool,
) -> None:
    """F41: by its CPU time, also where many such reads share the time; then the next read of the table is answered."""
    bulk = bulkheads(per_table=1, compute_seconds=0.1)
    with pytest.raises(TableUnreadable, match=r"table lake\.a\.stuck: .* took too long .* PACKHOUSE_COMPUTE_SECONDS"):
        await bulk.read(STUCK, compute_for_ever, is_work=is_work)
    assert await eventually_read(bulk) == "read"
    assert bulk.stuck_seconds() == 0
    with pytest.raises(StateConflict, match="catalog 'lake': "):
        await bulk.read(Compartment.of("lake"), compute_for_ever, is_work=is_work)


async def test_f41_a_read_that_computed_for_half_of_its_deadline_is_no_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    """F41: the store has answered; the run of such a table would wait for it in vain."""
    monkeypatch.setattr(TimedCall, "cpu_seconds", lambda _call: 0.06)
    with pytest.raises(TableUnreadable):
        await bulkheads(read_seconds=0.1).read(STUCK, compute_for_ever)


async def eventually_read(bulk: Bulkheads) -> str:
    """Read as soon as the table has a free thread; its only one is abandoned until its call has ended."""

    async def look() -> str:
        try:
            return await bulk.read(STUCK, lambda: "read")
        except Transient:
            return ""

    return await seen_when(look)


@pytest.mark.usefixtures("checks_often")
async def test_f41_threads_that_help_a_read_are_counted_and_ended_with_it() -> None:
    """F41: footers and manifests are decoded in threads, for whose results the thread of the read waits."""
    before = {each.ident for each in threading.enumerate()}

    def help_for_ever() -> list[None]:
        return list(overlapped(lambda _item: compute_for_ever(), range(3), at_once=3))

    bulk = bulkheads(compute_seconds=0.2)
    with pytest.raises(TableUnreadable):
        await bulk.read(STUCK, help_for_ever, is_work=True)

    def is_over() -> bool:
        threads = (each for each in threading.enumerate() if each.ident not in before)
        return not any(each.name.startswith("manifests") for each in threads)

    await until(is_over)


@pytest.mark.usefixtures("checks_often")
async def test_f41_a_read_that_can_not_be_ended_is_seen_until_it_ends() -> None:
    """F41: its caller goes on, and the process tells for how long the thread has computed since."""
    is_over = threading.Event()

    def swallow() -> str:
        while not is_over.is_set():
            with suppress(BaseException):
                compute_for_ever()
        return "ended"

    bulk = bulkheads(compute_seconds=0.05)
    with pytest.raises(TableUnreadable):
        await bulk.read(STUCK, swallow, is_work=True)
    await until(bulk.stuck_seconds)
    is_over.set()
    await until(lambda: not bulk.stuck_seconds())


@pytest.mark.usefixtures("checks_often")
async def test_f41_a_change_is_never_ended_and_a_read_that_waits_is_no_fault_of_its_table(store: Store) -> None:
    """F41: a commit may be half done; a store that does not answer is an outage."""
    bulk = bulkheads(compute_seconds=0.05, read_seconds=0.3)

    def change() -> str:
        until = time.thread_time() + 0.2
        while time.thread_time() < until:
            pass
        return "changed"

    assert await bulk.change(CALM, change) == "changed"
    with pytest.raises(Away):
        await bulk.read(STUCK, store.call)


async def test_f62_a_read_that_was_given_up_stops_at_its_next_page() -> None:
    """Also in the threads that help it."""
    bulk, pages, is_over = bulkheads(per_table=1, read_seconds=0.1), [0, 0], threading.Event()

    def turn_pages(at: int) -> None:
        while not is_over.wait(0.01):
            stop_if_abandoned()
            pages[at] += 1

    try:
        with pytest.raises(Away):
            await bulk.read(STUCK, lambda: list(overlapped(turn_pages, [0, 1], at_once=2)))
        assert min(pages) > 0
        assert await eventually_read(bulk) == "read"
    finally:
        is_over.set()


async def test_f62_a_read_that_was_given_up_and_never_asks_is_ended_once_it_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(calls, "ABANDONED_CPU_SECONDS", 0.05)
    bulk, held, is_over = bulkheads(per_table=1, read_seconds=0.1), list[bytes](), threading.Event()

    def hoard() -> None:
        while not is_over.wait(0.0005):
            held.append(bytes(1000))

    try:
        with pytest.raises(Away, match="did not answer"):
            await bulk.read(STUCK, hoard)
        assert await eventually_read(bulk) == "read"
    finally:
        is_over.set()


def test_a_process_ends_while_a_call_has_no_answer() -> None:
    program = """
import asyncio, threading
from engine.services.catalogs.bulkheads.calls import Bulkheads
from engine.services.catalogs.bulkheads.compartments import Compartment, ThreadLimits
bulk = Bulkheads(ThreadLimits(read_seconds=0.05))
try:
    asyncio.run(bulk.read(Compartment.of("lake"), threading.Event().wait))
except Exception as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "catalog 'lake' did not answer within 0.05 seconds"
