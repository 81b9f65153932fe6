"""Sessions: chosen before they are made, shared, made anew, re-entered."""

import gc
import time
import uuid
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.connect.session import SparkSession

from engine.domain.errors import Transient
from engine.embedded.processes import free_loopback_port
from engine.embedded.spark import EmbeddedSpark
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


def test_a_session_is_made_once_with_the_id_that_was_announced_and_entered_by_another_client(
    sessions: SparkSessions, spark_url: str
) -> None:
    announced = sessions.current_id()
    assert sessions.get().session_id == announced
    assert sessions.get() is sessions.get()
    assert sessions.version().startswith("4.1.")
    sessions.get().conf.set("spark.sql.shuffle.partitions", "7")
    other = SparkSessions(url=spark_url, user_id=USER)
    assert other.get(sessions.current_id()).conf.get("spark.sql.shuffle.partitions") == "7"
    other.close()


def test_a_session_that_the_server_closed_is_replaced_and_not_entered_again(sessions: SparkSessions) -> None:
    closed = sessions.get().session_id
    sessions.calls.release(closed)
    replacement = sessions.get()
    assert replacement.session_id != closed
    assert replacement.range(3).count() == 3
    with pytest.raises(Transient) as refused:
        sessions.get(closed)
    assert refused.value.details["closed"]


def test_the_collection_of_garbage_closes_no_session(sessions: SparkSessions) -> None:
    """pyspark's own waits for other threads, in the middle of whatever the collecting thread does."""
    client, held = sessions.get().client, weakref.ref(sessions.get())
    sessions._open.clear()
    gc.collect()
    assert held() is None
    assert not client.is_closed
    client.close()


def read_in_a_task(session: SparkSession, name: str) -> str:
    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415
        from pyspark import SparkFiles  # noqa: PLC0415

        for _ in batches:
            pass
        with open(SparkFiles.get(name)) as stream:  # noqa: PTH123
            yield pa.RecordBatch.from_pydict({"text": [stream.read()]})

    found: str = session.range(0, 1, 1, 1).mapInArrow(work, "text string").toArrow()["text"][0].as_py()
    return found


def test_a_provided_file_is_found_in_sessions_of_now_and_later(sessions: SparkSessions, tmp_path: Path) -> None:
    path = tmp_path / "provided.txt"
    path.write_text("here")
    first = sessions.get()
    sessions.provide(path)
    assert read_in_a_task(first, path.name) == "here"
    sessions.calls.release(first.session_id)
    assert read_in_a_task(sessions.get(), path.name) == "here"


def test_a_file_is_provided_after_the_server_closed_the_session(sessions: SparkSessions, tmp_path: Path) -> None:
    path = tmp_path / "late.txt"
    path.write_text("here")
    older = sessions.get(str(uuid.uuid4()))
    sessions.calls.release(sessions.get().session_id)
    assert sessions.get().range(1).count() == 1
    sessions.calls.release(older.session_id)  # which is not entered again
    sessions.provide(path)
    assert read_in_a_task(sessions.get(), path.name) == "here"


def test_work_after_a_long_pause_belongs_to_a_new_session() -> None:
    now = [0.0]
    sessions = SparkSessions(url="sc://127.0.0.1:1", user_id=USER, monotonic=lambda: now[0])
    first = sessions.current_id()
    now[0] += 29 * 60
    assert sessions.current_id() == first
    now[0] += 2 * 60
    assert sessions.current_id() != first


def test_a_session_that_is_kept_stays_the_current_one(spark_url: str) -> None:
    now = [0.0]
    sessions = SparkSessions(url=spark_url, user_id=USER, monotonic=lambda: now[0])
    sessions.keep()  # there is none yet
    kept = sessions.get()
    for _ in range(3):
        now[0] += 20 * 60
        sessions.keep()
    assert sessions.get() is kept
    sessions.close()


@pytest.mark.deep
def test_a_session_that_is_kept_outlives_the_patience_of_the_server(tmp_path: Path) -> None:
    patience = {
        "spark.connect.session.manager.defaultSessionTimeout": "4s",
        "spark.connect.session.manager.maintenanceInterval": "1s",
    }
    server = EmbeddedSpark(data_dir=tmp_path, cores=1, confs=patience)
    sessions = SparkSessions(url=server.start(), user_id=USER)
    try:
        kept, left = sessions.get(), sessions.get(str(uuid.uuid4()))
        for _ in range(8):
            time.sleep(1)
            sessions.keep()
        assert sessions.get() is kept
        assert kept.range(3).count() == 3
        with pytest.raises(Transient):
            sessions.get(left.session_id)
    finally:
        sessions.close()
        server.stop()


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
