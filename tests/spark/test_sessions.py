"""Sessions: chosen before they are made, shared, made anew, re-entered."""

import time
from collections.abc import Iterator

import pytest

from engine.domain.errors import Transient
from engine.embedded.processes import free_loopback_port
from engine.spark.sessions import SparkSessions
from tests.support.spark_server import USER


@pytest.fixture
def sessions(spark_url: str) -> Iterator[SparkSessions]:
    made = SparkSessions(url=spark_url, user_id=USER)
    yield made
    made.close()


@pytest.fixture
def nobody() -> Iterator[SparkSessions]:
    made = SparkSessions(url=f"sc://127.0.0.1:{free_loopback_port()}", user_id=USER)
    yield made
    made.close()


def test_a_session_is_made_once(sessions: SparkSessions) -> None:
    assert sessions.get() is sessions.get()


def test_the_session_has_the_id_that_was_announced(sessions: SparkSessions) -> None:
    announced = sessions.current_id()
    assert sessions.get().session_id == announced


def test_the_server_tells_its_version(sessions: SparkSessions) -> None:
    assert sessions.version().startswith("4.1.")


def test_another_client_enters_the_same_session(sessions: SparkSessions, spark_url: str) -> None:
    sessions.get().conf.set("spark.sql.shuffle.partitions", "7")
    other = SparkSessions(url=spark_url, user_id=USER)
    assert other.get(sessions.current_id()).conf.get("spark.sql.shuffle.partitions") == "7"
    other.close()


def test_a_session_that_the_server_closed_is_replaced(sessions: SparkSessions) -> None:
    closed = sessions.get().session_id
    sessions.calls.release(closed)
    replacement = sessions.get()
    assert replacement.session_id != closed
    assert replacement.range(3).count() == 3


def test_a_closed_session_cannot_be_entered_again(sessions: SparkSessions) -> None:
    closed = sessions.get().session_id
    sessions.calls.release(closed)
    with pytest.raises(Transient) as refused:
        sessions.get(closed)
    assert refused.value.details["closed"]


def test_work_after_a_long_pause_belongs_to_a_new_session() -> None:
    now = [0.0]
    sessions = SparkSessions(url="sc://127.0.0.1:1", user_id=USER, monotonic=lambda: now[0])
    first = sessions.current_id()
    now[0] += 29 * 60
    assert sessions.current_id() == first
    now[0] += 2 * 60
    assert sessions.current_id() != first


def test_nothing_is_sent_before_it_is_needed() -> None:
    sessions = SparkSessions(url="sc://127.0.0.1:1", user_id=USER)
    assert sessions.current_id()
    sessions.close()


def test_no_server_is_reported_soon(nobody: SparkSessions) -> None:
    started = time.monotonic()
    with pytest.raises(Transient, match="Spark does not answer"):
        nobody.get()
    with pytest.raises(Transient, match="Spark does not answer"):
        nobody.version()
    assert time.monotonic() - started < 10
