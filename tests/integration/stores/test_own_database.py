"""The database file of an embedded deployment holds what others must not read."""

from pathlib import Path

from engine.stores.database import own_database


async def test_only_its_owner_reads_the_file_and_its_journals(tmp_path: Path) -> None:
    database = own_database(tmp_path)
    await database.migrate()
    async with database.begin() as unit:
        await unit.now()
        modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()}
    await database.close()
    assert modes
    assert set(modes.values()) == {0}


async def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "packhouse.sqlite3").touch(mode=0o644)
    await own_database(tmp_path).close()
    assert (tmp_path / "packhouse.sqlite3").stat().st_mode & 0o777 == 0o600
