"""Export of the audit log to a disk and to S3: what is there can be verified, and nothing is lost or changed."""

import asyncio
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from api.commands import main
from engine.archive.folders import WriteOnceFolder
from engine.domain.errors import Fatal, InvalidInput, StateConflict, Transient
from engine.domain.fleet.retention import Retention
from engine.services.access.audit import AuditService
from engine.services.exports import audit as exports
from engine.services.exports.audit import LONGEST_WAIT, AuditExport, verify_export
from engine.services.retention.pruning import PruningService
from engine.stores.database import Database
from tests.integration.services.test_audit import disarm, tell
from tests.support.databases import FreshDatabase
from tests.support.fake_clock import FakeClock
from tests.support.moved_clock import MovedClock
from tests.support.s3_server import BUCKET, S3Server


@pytest.fixture(params=["disk", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteOnceFolder:
    if request.param == "disk":
        return WriteOnceFolder(f"{tmp_path}/audit/")
    server: S3Server = request.getfixturevalue("s3")
    return in_bucket(server, monkeypatch, tmp_path.name)


def in_bucket(server: S3Server, monkeypatch: pytest.MonkeyPatch, prefix: str) -> WriteOnceFolder:
    """Return a folder in S3, whose credentials are those of the machine."""
    given = {"ENDPOINT": server.url, "ALLOW_HTTP": "true", "ACCESS_KEY_ID": "me", "SECRET_ACCESS_KEY": "x"}
    for name, value in {**given, "REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    return WriteOnceFolder(f"s3://{BUCKET}/{prefix}")


class Log:
    """An audit log whose entries are old enough to be exported."""

    def __init__(self, database: Database, clock: MovedClock) -> None:
        self.database, self.clock, self.audit = database, clock, AuditService(database=database)

    async def add(self, *names: str) -> None:
        await tell(self.database, *names)
        await self.audit.seal()
        await self.clock.pass_by(seconds=LONGEST_WAIT.total_seconds())

    def export(self, folder: WriteOnceFolder) -> AuditExport:
        return AuditExport(database=self.database, folder=folder, clock=FakeClock())


@pytest.fixture
async def log(database: Database) -> Log:
    return Log(database, await MovedClock.of(database))


async def test_entries_are_exported_in_order_and_the_chain_is_verified_without_the_database(
    log: Log, folder: WriteOnceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "ENTRIES_AT_ONCE", 2)
    export = log.export(folder)
    assert await export.export() == 0
    await log.add("a", "b", "c")
    assert await export.export() == 3
    assert await export.export() == 0
    await log.add("d", "ü \n")
    assert await export.export() == 2
    assert await folder.names("audit-") == [f"audit-{number:020}.jsonl" for number in (1, 3, 4)]
    verdict = await verify_export(folder)
    head = await log.audit.head(None)  # type: ignore[arg-type]
    assert (verdict.faults, verdict.count) == ([], 5)
    assert verdict.last is not None
    assert head is not None
    assert (verdict.last.sequence, verdict.last.hash, verdict.last.entry.object) == (5, head.hash, "ü \n")


async def test_the_newest_entries_wait_for_a_whole_file_or_five_minutes(log: Log, folder: WriteOnceFolder) -> None:
    await tell(log.database, "a")
    await log.audit.seal()
    export = log.export(folder)
    assert await export.export() == 0
    assert export.lag_seconds >= 0
    await log.clock.pass_by(seconds=LONGEST_WAIT.total_seconds())
    assert await export.export() == 1
    assert export.lag_seconds == 0


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: text.replace('"object":"b"', '"object":"x"'), "the entry of link 2 was altered"),
        (lambda text: "".join(text.splitlines(keepends=True)[::2]), "link 3 follows link 1"),
        (lambda text: text.replace('"sequence": 2', '"sequence": 9'), "link 9 follows link 1"),
        (lambda text: re.sub(r'"hash": "\w+"', f'"hash": "{"0" * 64}"', text, count=1), "link 1 was altered"),
        (lambda text: text[:-20], "line 3 is not an exported entry"),
        (lambda _: "{}\n", "line 1 is not an exported entry: '{}'"),
    ],
)
async def test_an_altered_removed_or_inserted_line_is_found(
    log: Log, tmp_path: Path, change: Callable[[str], str], fault: str
) -> None:
    folder = WriteOnceFolder(f"{tmp_path}/audit")
    await log.add("a", "b", "c")
    await log.export(folder).export()
    (path,) = (tmp_path / "audit").iterdir()
    path.write_text(change(path.read_text()))
    assert any(fault in each for each in (await verify_export(folder)).faults)


async def test_two_coordinators_export_each_entry_once(log: Log, folder: WriteOnceFolder) -> None:
    await log.add(*map(str, range(20)))
    await asyncio.gather(*(log.export(folder).export() for _ in range(3)))
    verdict = await verify_export(folder)
    assert (verdict.faults, verdict.count) == ([], 20)


async def test_a_file_whose_cursor_was_not_recorded_is_taken_over(log: Log, folder: WriteOnceFolder) -> None:
    await log.add("a", "b")
    await log.export(folder).export()
    async with log.database.begin() as unit:
        await unit.connection.exec_driver_sql("DELETE FROM audit_exports")
    await log.add("c")
    assert await log.export(folder).export() == 3
    assert (await verify_export(folder)).count == 3


async def test_a_folder_with_other_entries_is_left_alone(log: Log, folder: WriteOnceFolder) -> None:
    """As after a restore of the database from a backup: sequence numbers are used again."""
    await folder.create("audit-00000000000000000001.jsonl", b'{"sequence": 1}\n')
    await log.add("a")
    with pytest.raises(StateConflict, match="line 1 is not an exported entry"):
        await log.export(folder).export()
    other = WriteOnceFolder(f"{folder.url}/other")
    await log.export(other).export()
    content = (await other.read("audit-00000000000000000001.jsonl")).replace(b'"hash": "', b'"hash": "0')
    third = WriteOnceFolder(f"{folder.url}/third")
    await third.create("audit-00000000000000000001.jsonl", content)
    with pytest.raises(StateConflict, match="set PACKHOUSE_AUDIT_EXPORT to another folder"):
        await log.export(third).export()
    assert await third.read("audit-00000000000000000001.jsonl") == content


async def test_a_store_that_is_away_is_waited_for_and_nothing_is_pruned_before(
    log: Log, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = in_bucket(s3, monkeypatch, "audit")
    pruning = PruningService(
        database=log.database, retention=Retention(None, timedelta(days=1)), export_folder=folder.url
    )
    await log.add("a", "b", "c")
    await log.clock.pass_by(days=3)
    s3.forbidden.add("me")
    with pytest.raises(Transient, match="s3://lake/audit: "):
        await log.export(folder).export()
    assert (await pruning.prune())["audit"] == 0
    s3.forbidden.clear()
    assert await log.export(folder).export() == 3
    assert (await pruning.prune())["audit"] == 2
    await log.add("d")
    assert await log.export(folder).export() == 2, "the entry of the pruning is one"
    assert (await verify_export(folder)).faults == []


async def test_the_command_verifies_a_folder_without_a_database(
    log: Log, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"{tmp_path}/audit"
    verify = partial(asyncio.to_thread, main, ["audit", "verify", "--from", url])
    assert await verify() == 1
    assert "is not a folder on this machine: give the one of PACKHOUSE_AUDIT_EXPORT" in capsys.readouterr().err
    assert not Path(url).exists(), "looking makes no folder"
    Path(url).mkdir()
    assert await verify() == 1
    assert f"{url} has no exported entries" in capsys.readouterr().err
    await log.add("a", "b")
    await log.export(WriteOnceFolder(url)).export()
    assert await verify() == 0
    assert "the exported chain holds: 2 entries, links 1 to 2, head " in capsys.readouterr().out
    (path,) = Path(url).iterdir()
    path.write_text(path.read_text().replace('"object":"a"', '"object":"c"'))
    assert await verify() == 1
    told = capsys.readouterr()
    assert "the entry of link 1 was altered" in told.err
    assert "the exported chain IS BROKEN" in told.out


async def test_a_broken_chain_is_not_exported(log: Log, fresh_database: FreshDatabase, folder: WriteOnceFolder) -> None:
    await log.add("a", "b")
    disarm(fresh_database)
    fresh_database.execute("DELETE FROM audit WHERE object = 'a'")
    with pytest.raises(Fatal, match="link 1 of the audit log is missing"):
        await log.export(folder).export()
    assert await folder.names("") == []


@pytest.mark.parametrize("url", ["relative/path", "s3://", "http://example.com/a", "memory://", "", "ftp://a/b"])
def test_an_address_that_is_no_folder_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="is not a folder for exports: give s3://bucket/prefix"):
        WriteOnceFolder(url)
