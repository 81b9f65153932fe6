"""Files are deleted in bulk and in order, paced, by a store that is busy, refuses some or all, or does not answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.domain.errors import Away, CredentialsExpired, StateConflict
from engine.domain.runs.removals import FileCount
from engine.formats.removal import bulk_deletes
from engine.formats.removal.bulk_deletes import BulkDelete
from engine.formats.removal.file_lists import FileKind, FileList, ListWriter, Origin, listed
from tests.support.store_server import BUCKET, Manners, StoreServer, store_server


@pytest.fixture(scope="module")
def server() -> Iterator[StoreServer]:
    with store_server() as running:
        yield running


@pytest.fixture
def store(server: StoreServer) -> StoreServer:
    server.control(manners=Manners(), forget=True)
    return server


class Stopped(Exception):
    """Raised to stop."""


def files_of(count: int, *, first: str = f"s3://{BUCKET}/t", manifests: int = 0) -> FileList:
    made = ListWriter(Origin("u", 1, 1))
    made.add(listed([f"{first}/data/{n}.parquet" for n in range(count)], FileKind.DATA, file_bytes=[10] * count))
    made.add(listed([f"{first}/metadata/{n}.avro" for n in range(manifests)], FileKind.MANIFEST))
    return made.finish()


def removal(store: StoreServer, taken: list[int] | None = None, waits: list[float] | None = None) -> BulkDelete:
    before = (lambda _: None) if taken is None else taken.append
    return BulkDelete(store.properties(), before_batch=before, sleep=(waits if waits is not None else []).append)


def asked(store: StoreServer) -> dict[str, int]:
    found: dict[str, int] = store.control()["asked"]
    return found


def test_a_thousand_files_are_one_request(store: StoreServer) -> None:
    taken: list[int] = []
    work = removal(store, taken)
    work.remove(files_of(5000, manifests=10).batches())
    assert asked(store) == {"POST delete": 6}
    assert (taken, work.tally.requests) == ([1] * 6, 6)
    assert work.tally.deleted == {FileKind.DATA: FileCount(5000, 50_000), FileKind.MANIFEST: FileCount(10, 0)}


def test_files_that_are_there_are_gone_and_others_are_left(store: StoreServer) -> None:
    for name in ("t/data/0.parquet", "t/data/1.parquet", "t/data/10.parquet", "t/data/a b%20ü&<.parquet", "t/left"):
        store.put(name.replace("%", "%25").replace(" ", "%20").replace("ü", "%C3%BC").replace("<", "%3C"), b"x")
    work = removal(store)
    work.remove([listed([f"s3a://{BUCKET}/t/data/a b%20ü&<.parquet"], FileKind.DATA), *files_of(2).batches()])
    assert store.control(keys=True)["keys"] == ["t/data/10.parquet", "t/left"]
    assert work.tally.failed == {}
    for name in ("t/data/10.parquet", "t/left"):
        removal(store).remove([listed([f"s3://{BUCKET}/{name}"], FileKind.DATA)])


def test_content_is_gone_before_the_first_manifest_is_deleted(store: StoreServer) -> None:
    work = removal(store)
    order: list[str] = []
    real = work._delete
    work._delete = lambda batch: (order.append(f"begun {batch.kind}"), real(batch), order.append(batch.kind))[1]  # type: ignore[method-assign, func-returns-value]
    work.remove(files_of(9000, manifests=2000).batches())
    assert order.index("begun manifests") > max(at for at, each in enumerate(order) if each == "data")


def test_a_busy_store_is_asked_again(store: StoreServer) -> None:
    store.control(manners=Manners(busy=0.5))
    waits: list[float] = []
    work = removal(store, waits=waits)
    work.remove(files_of(8000).batches())
    assert work.tally.deleted == {FileKind.DATA: FileCount(8000, 80_000)}
    assert waits


def test_a_store_that_stays_busy_ends_it_and_what_was_deleted_is_counted(store: StoreServer) -> None:
    work = removal(store)
    work._before_batch = lambda _: store.control(manners=Manners(busy=float(work.tally.requests >= 3)))  # type: ignore[func-returns-value]
    with pytest.raises(Away, match="503"):
        work.remove(files_of(9000).batches())
    assert 0 <= work.tally.deleted.get(FileKind.DATA, FileCount()).files < 9000
    assert work.tally.failed == {}


def test_a_store_that_does_not_answer_is_away(store: StoreServer) -> None:
    work = BulkDelete(store.properties() | {"s3.endpoint": "http://127.0.0.1:9"}, before_batch=lambda _: None,
                   sleep=lambda _: None)  # fmt: skip
    with pytest.raises(Away):
        work.remove(files_of(10).batches())


def test_credentials_that_expire_end_it(store: StoreServer) -> None:
    store.control(manners=Manners(expired=("key",)))
    with pytest.raises(CredentialsExpired):
        removal(store).remove(files_of(10).batches())


def test_files_that_are_refused_are_counted_and_the_others_are_deleted(store: StoreServer) -> None:
    for number in range(2000):
        store.put(f"t/data/{number}.parquet", b"x")
    store.control(manners=Manners(locked="t/data/199"), forget=True)
    work = removal(store)
    work.remove(files_of(3000, manifests=5).batches())
    left = store.control(keys=True)["keys"]
    assert left == sorted(f"t/data/{each}.parquet" for each in (199, *range(1990, 2000)))
    assert work.tally.deleted == {FileKind.DATA: FileCount(2989, 29_890), FileKind.MANIFEST: FileCount(5)}
    assert work.tally.failed == {FileKind.DATA: 11}
    assert len(work.tally.samples) == 10
    assert all("privileges" in reason for _, reason in work.tally.samples)
    assert work.tally.requests == sum(asked(store).values()) == 4 + 2000


def test_a_store_that_refuses_everything_ends_it_early(store: StoreServer) -> None:
    store.control(manners=Manners(locked="t/"), forget=True)
    work = removal(store)
    with pytest.raises(StateConflict, match="AccessDenied"):
        work.remove(files_of(50_000).batches())
    assert sum(asked(store).values()) < 2100


def test_a_stop_between_two_batches_counts_what_was_sent(store: StoreServer) -> None:
    work = removal(store)
    taken: list[int] = []

    def before(requests: int) -> None:
        if len(taken) == 4:
            raise Stopped
        taken.append(requests)

    work._before_batch = before
    with pytest.raises(Stopped):
        work.remove(files_of(9000).batches())
    assert work.tally.deleted == {FileKind.DATA: FileCount(4000, 40_000)}
    assert asked(store) == {"POST delete": 4}


def test_local_files_and_those_that_can_not_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "t/data").mkdir(parents=True)
    for number in range(3):
        (tmp_path / f"t/data/{number}.parquet").touch()
    (tmp_path / "t/data/3.parquet").mkdir()
    taken: list[int] = []
    work = BulkDelete({}, before_batch=taken.append)
    work.remove(files_of(5, first=f"file://{tmp_path}/t").batches())
    assert [path.name for path in (tmp_path / "t/data").iterdir()] == ["3.parquet"]
    assert work.tally.deleted == {FileKind.DATA: FileCount(4, 40)}
    assert work.tally.failed == {FileKind.DATA: 1}
    assert taken == [0]


@pytest.mark.parametrize("path", ["t/a//b", "t/../b", "/t/b"])
def test_a_name_that_no_object_can_have_fails_alone(store: StoreServer, path: str) -> None:
    store.put("t/good", b"x")
    work = removal(store)
    work.remove([listed([f"s3://{BUCKET}/{path}", f"s3://{BUCKET}/t/good"], FileKind.DATA)])
    assert "t/good" not in store.control(keys=True)["keys"]
    assert bulk_deletes.BULK_DELETES == 1000
