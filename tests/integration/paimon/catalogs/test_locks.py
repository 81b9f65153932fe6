"""The lock of a JDBC catalog, beside Paimon's own lock on the same rows."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from structlog.testing import capture_logs

from engine.domain.errors import Away, OutcomeUnknown, StateConflict, Transient
from engine.formats.paimon.catalog.database import CatalogDatabase
from engine.formats.paimon.catalog.locks import EXPIRE_SECONDS, USE_SECONDS, WAIT_SECONDS, Sightings, TableLock
from tests.support.paimon.jdbc_lakes import KEY, ON_ALL, CatalogHome, JdbcLake, postgres_home
from tests.support.postgres_server import PostgresServer


@dataclass
class PassingTime:
    """A clock that pauses move; `on_pause` is called by each of them."""

    now: float = 0.0
    on_pause: Callable[[], None] = field(default=lambda: None)

    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.on_pause()

    def sightings(self) -> Sightings:
        return Sightings(clock=lambda: self.now, pause=self.pause)


@pytest.fixture
def lake(jdbc_lake: JdbcLake) -> JdbcLake:
    return jdbc_lake.create()


@pytest.fixture
def time() -> PassingTime:
    return PassingTime()


def lock_of(lake: JdbcLake, time: PassingTime) -> TableLock:
    return TableLock(database=lake.database, namespace="lake", name="events", sightings=time.sightings())


@ON_ALL
def test_a_held_lock_excludes_writers_until_it_is_released(lake: JdbcLake, time: PassingTime) -> None:
    with lock_of(lake, time).held():
        row = lake.lock_row()
        assert row is not None
        assert (row.lock_id, row.expire_seconds) == (KEY, EXPIRE_SECONDS)
        assert not lake.lock()
    assert lake.lock_row() is None
    assert lake.lock()
    lake.unlock()


def test_a_failed_commit_releases_the_lock(lake: JdbcLake, time: PassingTime) -> None:
    with pytest.raises(ValueError, match="x"), lock_of(lake, time).held():
        raise ValueError("x")
    assert lake.lock_row() is None


@ON_ALL
def test_an_uncertain_commit_leaves_the_lock_until_it_expires(lake: JdbcLake, time: PassingTime) -> None:
    with pytest.raises(OutcomeUnknown), lock_of(lake, time).held():
        raise OutcomeUnknown("x")
    assert not lake.lock()
    lake.home.age_lock(EXPIRE_SECONDS - 60)
    assert not lake.lock()
    lake.home.age_lock(62)
    assert lake.lock()
    lake.unlock()


def test_the_lock_of_a_writer_is_a_wait_and_then_transient(lake: JdbcLake, time: PassingTime) -> None:
    assert lake.lock()
    with pytest.raises(Transient, match=f"another writer holds the catalog's lock {KEY}, acquired at 2"):
        lock_of(lake, time).held().__enter__()
    assert WAIT_SECONDS <= time.now < WAIT_SECONDS + 3
    assert lake.lock_row() is not None
    lake.unlock()


def test_a_lock_that_is_released_during_the_wait_is_taken(lake: JdbcLake, time: PassingTime) -> None:
    assert lake.lock()
    time.on_pause = lambda: lake.unlock() if time.now > 10 else None
    with lock_of(lake, time).held():
        assert 10 < time.now < 13


@ON_ALL
def test_the_lock_of_a_live_writer_is_not_taken_however_old_its_row_looks(lake: JdbcLake, time: PassingTime) -> None:
    """As the row of a JVM in another time zone does in Postgres."""
    assert lake.lock(expire_seconds=480)
    lake.home.age_lock(8 * 3600)
    row = lake.lock_row()
    with pytest.raises(Transient):
        lock_of(lake, time).held().__enter__()
    assert lake.lock_row() == row
    lake.unlock()


@ON_ALL
def test_a_lock_that_was_seen_for_longer_than_it_is_valid_has_expired(lake: JdbcLake, time: PassingTime) -> None:
    """What was seen counts over several attempts."""
    assert lake.lock(expire_seconds=100)
    lock = lock_of(lake, time)
    with pytest.raises(Transient):
        lock.held().__enter__()
    with capture_logs() as logs, lock.held():
        assert 101 < time.now < 104
        assert not lake.lock()
    assert [each["event"] for each in logs] == ["catalog_lock_expired"]


def test_another_row_of_the_same_lock_is_seen_anew(lake: JdbcLake, time: PassingTime) -> None:
    assert lake.lock(expire_seconds=100)
    lock = lock_of(lake, time)
    with pytest.raises(Transient):
        lock.held().__enter__()
    lake.home.age_lock(1)
    row = lake.lock_row()
    with pytest.raises(Transient):
        lock.held().__enter__()
    assert lake.lock_row() == row
    lake.unlock()


@ON_ALL
def test_a_lock_that_was_taken_away_is_not_released_and_is_reported(lake: JdbcLake, time: PassingTime) -> None:
    with capture_logs() as logs, lock_of(lake, time).held():
        lake.unlock()
        assert lake.lock()
        row = lake.lock_row()
    assert lake.lock_row() == row
    assert [(each["event"], "lock-time-zone" in each["remedy"]) for each in logs] == [("catalog_lock_taken", True)]
    lake.unlock()


def test_a_lock_that_is_held_for_too_long_is_not_used(lake: JdbcLake, time: PassingTime) -> None:
    with lock_of(lake, time).held() as held:
        held.check()
        time.now += USE_SECONDS + 1
        with pytest.raises(Transient, match="was held for 61 s; nothing was committed"):
            held.check()
    assert lake.lock_row() is None


@ON_ALL
def test_only_one_of_many_has_the_lock(lake: JdbcLake) -> None:
    """Real time, and a connection for each."""
    inside, most, guard = [0], [0], threading.Lock()

    def work() -> None:
        lock = TableLock(database=lake.database, namespace="lake", name="events")
        for _ in range(5):
            with lock.held():
                with guard:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                assert not lake_lock()
                with guard:
                    inside[0] -= 1

    asking = threading.Lock()

    def lake_lock() -> bool:
        with asking:  # the process of the core answers one call at a time
            return lake.lock()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert most == [1]
    assert lake.lock_row() is None


@ON_ALL
def test_a_catalog_without_the_table_of_locks_has_no_lock(jdbc_lake: JdbcLake, time: PassingTime) -> None:
    lake = replace(jdbc_lake, with_lock=False).create()
    lock = lock_of(lake, time)
    assert not lock.is_used()
    with pytest.raises(StateConflict, match=r"lock.enabled is true, but its database has no table"):
        replace(lock, is_required=True).is_used()
    replace(lake, with_lock=True).connect().call("ids")
    assert lock.is_used()
    assert not replace(lock, is_required=False).is_used()


@ON_ALL
def test_a_row_without_a_time_expires_too(lake: JdbcLake, time: PassingTime) -> None:
    lake.home.execute("DROP TABLE paimon_distributed_locks")
    lake.home.execute(
        "CREATE TABLE paimon_distributed_locks"
        " (lock_id VARCHAR(1000) PRIMARY KEY, acquired_at TIMESTAMP, expire_time_seconds INTEGER)"
    )
    lake.home.execute("INSERT INTO paimon_distributed_locks VALUES (:key, NULL, 30)", key=KEY)
    with capture_logs() as logs, lock_of(lake, time).held():
        assert 31 < time.now < 34
    assert [each["event"] for each in logs] == ["catalog_lock_expired"]


def test_an_expired_row_that_can_not_be_deleted_ends_the_wait(
    lake: JdbcLake, time: PassingTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lake.lock(expire_seconds=10)
    monkeypatch.setattr(CatalogDatabase, "unlock", lambda _database, _row: False)
    with capture_logs() as logs, pytest.raises(Transient, match="another writer holds"):
        lock_of(lake, time).held().__enter__()
    assert WAIT_SECONDS <= time.now < WAIT_SECONDS + 3
    assert logs == []
    lake.unlock()


@pytest.mark.parametrize("home", ["sqlite"], indirect=True)
def test_a_hostile_row_is_named(lake: JdbcLake, time: PassingTime) -> None:
    """In Postgres the column has a type."""
    lake.home.execute("INSERT INTO paimon_distributed_locks VALUES (:key, 'x', 'never')", key=KEY)
    with pytest.raises(StateConflict, match="expire_time_seconds is not a number: 'never'"):
        lock_of(lake, time).held().__enter__()


class TestTimeZones:
    """Postgres has the time of a row without a zone; Paimon's sessions have the zone of their JVM."""

    @pytest.fixture
    def lake(self, jdbc_lake: JdbcLake, home: CatalogHome) -> JdbcLake:
        jdbc_lake.core.call("use_time_zone", name="Asia/Shanghai")
        try:
            return jdbc_lake.create()
        finally:
            jdbc_lake.core.call("use_time_zone", name="UTC")

    @pytest.mark.parametrize("home", ["postgres"], indirect=True)
    def test_a_writer_in_another_zone_takes_a_lock_for_expired(self, lake: JdbcLake, time: PassingTime) -> None:
        """The reason for the property `packhouse.lock-time-zone`."""
        with capture_logs() as logs, lock_of(lake, time).held():
            assert lake.lock()
        assert [each["event"] for each in logs] == ["catalog_lock_taken"]
        assert lake.lock_row() is not None
        lake.unlock()

    @pytest.mark.parametrize("home", ["postgres"], indirect=True)
    def test_with_the_zone_of_the_writers_the_lock_holds(self, lake: JdbcLake, time: PassingTime) -> None:
        zoned = replace(lake, more={"packhouse.lock-time-zone": "Asia/Shanghai"})
        with lock_of(zoned, time).held():
            assert not lake.lock()
            lake.home.age_lock(EXPIRE_SECONDS + 2)
            assert lake.lock()
        lake.unlock()


class TestAway:
    """The database ends between two steps."""

    @pytest.fixture
    def home(self, own_postgres: PostgresServer) -> CatalogHome:
        return postgres_home(own_postgres)

    def test_nothing_is_done_without_the_lock(self, lake: JdbcLake, own_postgres: PostgresServer) -> None:
        lock = lock_of(lake, PassingTime())
        own_postgres.halt()
        with pytest.raises(Away):
            lock.is_used()
        with pytest.raises(Away):
            lock.held().__enter__()

    def test_a_lock_that_can_not_be_released_stays(self, lake: JdbcLake, own_postgres: PostgresServer) -> None:
        with capture_logs() as logs, lock_of(lake, PassingTime()).held():
            own_postgres.halt()
        assert [each["event"] for each in logs] == ["catalog_lock_left"]
        own_postgres.resume()
        row = lake.lock_row()
        assert row is not None
        assert row.expire_seconds == EXPIRE_SECONDS
