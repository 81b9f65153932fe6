"""Orphans of random tables are removed by Packhouse and, on a copy, by Paimon's own search: the same files are left.

The orphans are of lost writers, of snapshots that expired without their files, of rollbacks, and planted ones of every
kind. `PACKHOUSE_FUZZ_TABLES` and `PACKHOUSE_FUZZ_SEED` play more and other tables.
"""

import shutil
import time
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from engine.domain.errors import NotEligible
from engine.formats.paimon.metadata.known_options import Activity
from tests.integration.paimon.test_random_compactions import NUMBERS, SEED, Game, forbids, shape_of
from tests.integration.paimon.upkeep.test_random_expiries import decorate, histories
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.expiries import expiry, files_of
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.orphans import IN_BUCKETS, IN_TABLE, RULE, deleted, looked, place
from tests.upkeep.orphans import grow_old, pass_quarantine

DAY = timedelta(days=1)


def leave_orphans(chance: Random, game: Game, *, expires: bool) -> None:
    """Leave files behind as writers, expiries and rollbacks do, and plant others."""
    lake = game.ours
    if chance.random() < 0.5 and expires:
        table, which = lake.open(), expiry(chance.randrange(1, 4))
        table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=lambda: None)
    ids = [each["id"] for each in lake.call("snapshots")]
    if len(ids) > 1 and chance.random() < 0.3:
        lake.call("roll_back", snapshot=chance.choice(ids[:-1]))
    for _ in range(chance.randrange(3)):
        game.write(lake, is_lost=True)
    folders = [each for each in lake.folder.rglob("bucket-*") if each.is_dir()]
    for name in chance.sample(IN_BUCKETS, 5):
        place(chance.choice(folders), name)
    for name in chance.sample(IN_TABLE, 5):
        place(lake.folder, name)


def removed(lake: PaimonLake, number: int) -> None:
    looked(lake.open(), run_id=f"run_{number}")
    pass_quarantine(lake.folder, RULE.quarantine)
    deleted(looked(lake.open(), run_id=f"run_{number}"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_same_files_are_left_as_by_paimons_own_search(paimon_core: PaimonCore, tmp_path: Path, number: int) -> None:
    chance = Random(9000 * SEED + number)
    shape = shape_of(chance, number, paimon_core)
    game = Game(chance, shape, paimon_core, tmp_path)
    game.play()
    if forbids(shape, Activity.ORPHANS, game.ours):
        with pytest.raises(NotEligible, match=shape.refused):
            game.ours.open().orphan_removal.check()
        return
    decorate(chance, game.ours)
    for turn in range(2):
        leave_orphans(chance, game, expires=not forbids(shape, Activity.EXPIRY))
        grow_old(game.ours.folder)
        shutil.rmtree(game.twin.root)
        shutil.copytree(game.ours.root, game.twin.root)
        before, rows = files_of(game.ours), histories(game.ours)
        removed(game.ours, turn)
        game.twin.call("clean", older_than_ms=int((time.time() - DAY.total_seconds()) * 1000))
        assert files_of(game.ours) == files_of(game.twin)
        assert len(files_of(game.ours)) < len(before)
        assert histories(game.ours) == rows
        game.write(game.ours)
