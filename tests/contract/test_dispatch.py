"""What every dispatcher keeps to: the one on Spark Connect and the one in threads."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.domain.errors import Interrupted, SparkFailed, Transient
from engine.services.operations.tasks.dispatching import Dispatcher
from engine.spark.dispatch import Ticket
from tests.support.eventually import eventually
from tests.support.local_dispatch import LocalDispatcher
from tests.support.task_functions import deaf, holding, is_held, raising, upper_case, waiting_for


@pytest.fixture(params=["local", "spark"])
def dispatcher(request: pytest.FixtureRequest) -> Dispatcher:
    made: Dispatcher = LocalDispatcher() if request.param == "local" else request.getfixturevalue("spark_dispatcher")
    return made


@pytest.fixture
def ticket(dispatcher: Dispatcher, request: pytest.FixtureRequest) -> Ticket:
    return dispatcher.ticket(request.node.name, 1, 1)


def test_answers_come_in_the_order_of_the_payloads(dispatcher: Dispatcher, ticket: Ticket) -> None:
    assert dispatcher.run(ticket, upper_case(), ["one", "two", "drei"]) == ["ONE", "TWO", "DREI"]


def test_no_payloads_need_no_task(dispatcher: Dispatcher, ticket: Ticket) -> None:
    assert dispatcher.run(ticket, raising("never called"), []) == []


def test_all_payloads_run_in_one_task(dispatcher: Dispatcher, ticket: Ticket) -> None:
    def where() -> Callable[[str], str]:
        seen: list[str] = []

        def work(payload: str) -> str:
            seen.append(payload)
            return f"{os.getpid()} {len(seen)}"

        return work

    answers = [answer.split() for answer in dispatcher.run(ticket, where(), ["a", "b", "c"])]
    assert len({pid for pid, _ in answers}) == 1
    assert [count for _, count in answers] == ["1", "2", "3"]


def test_what_a_task_raises_is_the_cause_of_the_failure(dispatcher: Dispatcher, ticket: Ticket) -> None:
    with pytest.raises(SparkFailed, match=r"^ValueError: no column named x$") as failure:
        dispatcher.run(ticket, raising("no column named x"), ["a"])
    assert failure.value.details["cause"] == "ValueError"


def test_an_operation_is_sent_once(dispatcher: Dispatcher, ticket: Ticket) -> None:
    """F15: the server knows the operation by its id, and refuses it the second time."""
    dispatcher.run(ticket, upper_case(), ["a"])
    with pytest.raises(Transient):
        dispatcher.run(ticket, upper_case(), ["a"])


def test_parts_of_an_attempt_share_session_and_tag(dispatcher: Dispatcher) -> None:
    first, second = dispatcher.ticket("run_1", 3, 1), dispatcher.ticket("run_1", 3, 2)
    assert (first.session_id, first.tag) == (second.session_id, second.tag)
    assert first.operation_id != second.operation_id


def test_a_ticket_can_be_made_again(dispatcher: Dispatcher) -> None:
    assert dispatcher.ticket("run_1", 3, 1) == dispatcher.ticket("run_1", 3, 1)


def test_attempts_do_not_share_a_tag(dispatcher: Dispatcher) -> None:
    assert dispatcher.ticket("run_1", 3, 1).tag != dispatcher.ticket("run_1", 4, 1).tag


def test_an_interrupted_operation_ends(
    dispatcher: Dispatcher, ticket: Ticket, background: ThreadPoolExecutor, tmp_path: Path
) -> None:
    running = background.submit(dispatcher.run, ticket, holding(tmp_path / "file"), ["a"])
    eventually(lambda: is_held(tmp_path / "file"))
    dispatcher.interrupt(ticket.tag, session_id=ticket.session_id)
    assert isinstance(running.exception(timeout=10), Interrupted)


def test_the_task_is_dead_when_the_operation_is_said_to_be_gone(
    dispatcher: Dispatcher, ticket: Ticket, background: ThreadPoolExecutor, tmp_path: Path
) -> None:
    background.submit(dispatcher.run, ticket, holding(tmp_path / "file"), ["a"])
    eventually(lambda: is_held(tmp_path / "file"))
    dispatcher.interrupt(ticket.tag, session_id=ticket.session_id)
    assert dispatcher.wait_gone(ticket.tag, session_id=ticket.session_id, timeout=20)
    assert not is_held(tmp_path / "file")


def test_waiting_gives_up_in_time(
    dispatcher: Dispatcher, ticket: Ticket, background: ThreadPoolExecutor, tmp_path: Path
) -> None:
    background.submit(dispatcher.run, ticket, deaf(tmp_path), ["a"])
    eventually((tmp_path / "started").exists)
    assert not dispatcher.wait_gone(ticket.tag, session_id=ticket.session_id, timeout=0.05)
    (tmp_path / "release").touch()


def test_nothing_is_sent_under_a_tag_that_was_stopped(dispatcher: Dispatcher, ticket: Ticket) -> None:
    dispatcher.interrupt(ticket.tag, session_id=ticket.session_id)
    with pytest.raises(Interrupted):
        dispatcher.run(ticket, upper_case(), ["a"])


def test_stopping_one_tag_leaves_others_alone(
    dispatcher: Dispatcher, ticket: Ticket, background: ThreadPoolExecutor, tmp_path: Path
) -> None:
    running = background.submit(dispatcher.run, ticket, waiting_for(tmp_path / "file"), ["done"])
    eventually((tmp_path / "file.started").exists)
    dispatcher.interrupt("packhouse-another-1", session_id=ticket.session_id)
    (tmp_path / "file").touch()
    assert running.result(timeout=20) == ["done"]


def test_what_ended_by_itself_is_gone_at_once(dispatcher: Dispatcher, ticket: Ticket) -> None:
    dispatcher.run(ticket, upper_case(), ["a"])
    assert dispatcher.wait_gone(ticket.tag, session_id=ticket.session_id, timeout=0.5)


def test_a_task_that_was_executed_once_is_not_said_to_be_repeated(dispatcher: Dispatcher, ticket: Ticket) -> None:
    dispatcher.run(ticket, upper_case(), ["a", "b"])
    assert not dispatcher.has_repeated(ticket.tag, session_id=ticket.session_id)
