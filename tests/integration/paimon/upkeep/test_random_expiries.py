"""Snapshots of random tables expire by Packhouse and, on a copy, by Paimon's core: the same files are left.

The core reads every snapshot, tag, branch and change that is left. `PACKHOUSE_FUZZ_TABLES` and `PACKHOUSE_FUZZ_SEED`
play more and other tables.
"""

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.domain.errors import NotEligible
from engine.formats.paimon.metadata.known_options import Activity
from tests.integration.paimon.test_random_compactions import NUMBERS, SEED, Game, forbids, shape_of
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.expiries import expired_with_files, expiry, files_of
from tests.support.paimon.lakes import PaimonLake


def histories(lake: PaimonLake) -> dict[str, Any]:
    found: dict[str, Any] = lake.call("history")
    return found


def decorate(chance: Random, lake: PaimonLake) -> None:
    """Set random tags, some for no time, a branch and a consumer."""
    newest = lake.open().head_snapshot_id or 1
    tags = chance.sample(range(1, newest + 1), min(newest, chance.randrange(4)))
    for each in tags:  # Paimon's own removal of a tag breaks a branch that was made of it
        seconds = None if each == tags[0] else chance.choice([None, 0.0, 10.0**7])
        lake.call("create_tag", name=f"t{each}", snapshot=each, seconds=seconds)
    if tags and chance.random() < 0.5:
        lake.call("create_branch", name="b", tag=f"t{tags[0]}")
    if chance.random() < 0.3:
        lake.call("set_consumer", name="c", snapshot=chance.randrange(1, newest + 1))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_same_files_are_left_as_by_the_cores_own_expire(
    paimon_core: PaimonCore, tmp_path: Path, number: int
) -> None:
    chance = Random(7000 * SEED + number)
    shape = shape_of(chance, number, paimon_core)
    game = Game(chance, shape, paimon_core, tmp_path)
    game.play()
    if forbids(shape, Activity.EXPIRY, game.ours):
        with pytest.raises(NotEligible, match=shape.refused):
            game.ours.open().expiry.plan(expiry(1))
        return
    decorate(chance, game.ours)
    shutil.rmtree(game.twin.root)
    shutil.copytree(game.ours.root, game.twin.root)
    for _ in range(2):
        before, keep_last = histories(game.ours)["rows"], chance.randrange(1, 5)
        expired_with_files(game.ours, expiry(keep_last))
        game.twin.call("expire_tags")
        game.twin.call("expire", retained=keep_last)
        assert files_of(game.ours) == files_of(game.twin)
        ours, twin = histories(game.ours), histories(game.twin)
        assert ours == twin
        assert ours["rows"].items() <= before.items()
        for _ in range(2):
            game.write(game.ours)
        shutil.rmtree(game.twin.root)
        shutil.copytree(game.ours.root, game.twin.root)
