"""Random tables judged one after another: upkeep by Packhouse and by Iceberg's procedures, read by all readers."""

import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchTableError
from pyspark.sql import SparkSession

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from tests.differential.stories import NAMESPACE, Story
from tests.differential.writers import Pens
from tests.support.expired_files import stored
from tests.support.mirrored_world import MirroredWorld, kind_of
from tests.upkeep.delete_matches import DeleteMatch
from tests.upkeep.histories import age, local
from tests.upkeep.history_matches import HistoryMatch
from tests.upkeep.matches import Match
from tests.upkeep.orphan_matches import OrphanMatch

_UPKEEP = (
    *(Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM, Operation.DELETE_OLD_COMPACTIONS),
    *(Operation.REMOVE_ORPHANS, Operation.REWRITE_MANIFESTS, Operation.REWRITE_DELETES),
)
_COPIES = ("theirs", "theirs_deletes", "theirs_orphans")


@dataclass
class Arena:
    """Judges seeds on one lake; `counts` has the number of checks that took place, by name."""

    world: MirroredWorld
    spark: SparkSession
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def catalog(self) -> Catalog:
        """The lake's catalog, which Spark shares."""
        return self.world.lake.catalog

    async def judge(self, seed: int) -> None:
        """Make the table of a seed, work on it and compare. Raises AssertionError with the whole story in it."""
        random, name, self.world.kind = Random(f"{seed}/upkeep"), f"u{seed}", kind_of(seed)
        pens = Pens(self.spark, f"lake.{NAMESPACE}.{name}")
        story = Story(seed, self.catalog, pens, Random(seed), name)
        try:
            await _play(Match(self, story, random))
        except Exception as error:
            error.add_note("\n".join([f"the story of seed {seed}, in {self.world.kind}:", *story.told]))
            raise
        self.counts["tables"] += 1
        self.counts[f"tables in {self.world.kind}"] += 1

    def forget(self, seed: int) -> None:
        """Remove the table of a seed and its copies."""
        folder = local(f"{self.world.lake.properties['warehouse']}/{NAMESPACE}/u{seed}")
        for name in (f"u{seed}", *(f"u{seed}_{each}" for each in _COPIES)):
            with suppress(NoSuchTableError):
                self.catalog.drop_table((NAMESPACE, name))
        for each in (folder, *folder.parent.glob(f"{folder.name}-*")):
            shutil.rmtree(each, ignore_errors=True)

    def check(self) -> None:
        """Fail when too little took part."""
        tables, counts = self.counts["tables"], self.counts
        assert counts["expiries that deleted files"] > 0.4 * tables, str(self)
        assert counts["predictions of reclamations that held"] > 0, str(self)
        assert counts["snapshots read by pyiceberg"] > tables, str(self)
        assert counts["heads read by pyiceberg"] > 0.5 * tables, str(self)
        assert counts["snapshots read by duckdb"] > tables, str(self)
        assert counts["heads read by duckdb"] > 0.3 * tables, str(self)
        assert counts["files read by duckdb"] > tables, str(self)
        assert counts["delete files replaced"] > 0.5 * tables, str(self)
        assert counts["rewrites of deletes with as few files as the procedure"] > 0.15 * tables, str(self)
        assert counts["searches that found the same as the procedure"] > 0.4 * tables, str(self)
        assert counts["orphans deleted"] > 5 * counts["searches that found the same as the procedure"], str(self)

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))


async def _play(match: Match) -> None:
    """Make the table and its history, then let both work: delete files, history, manifests, orphans."""
    random = match.random
    keep_last, hours = random.choice((1, 1, 2, 3)), random.choice((0.5, 1.5, 2.5, 4.5))
    days = random.choice((1, 1, 3))
    match.story.tell()
    match.story.hide(is_read_by_server=match.arena.world.kind == "rest")
    if match.story.unknown is not None:
        await _refused(match)
        return
    maintenance = HistoryMatch.maintenance(keep_last, hours) | DeleteMatch.maintenance() | OrphanMatch.maintenance(days)
    await match.register(
        {"rewrite": {"min_input_files": 2, "deletes": {"files": 1}}, "maintenance": maintenance},
    )
    operations = [_expiry(keep_last, random)]
    if random.random() < 0.5:
        rewritten = await match.run(RunRequest(force_full=True))
        if rewritten.state is RunState.SUCCEEDED and random.random() < 0.7:
            operations = [Operation.DELETE_OLD_COMPACTIONS, *(operations if random.random() < 0.3 else ())]
        _drop_protection(match)
    await DeleteMatch(match).play()
    if random.random() < 0.4:
        await match.run(RunRequest(Operation.REWRITE_MANIFESTS))
    match.story.told += age(match.table, random)
    seen, copy = match.look(), match.copy_aside("history")
    history = HistoryMatch(match, keep_last, hours, operations)
    kept, ours = await history.play(seen)
    if random.random() < 0.7:
        await OrphanMatch(match, days).play(seen)
    match.put_back(copy)
    history.theirs(seen, kept, ours)


async def _refused(match: Match) -> None:
    """Let every operation be refused by the name of a feature that is not known: nothing is changed or deleted."""
    maintenance = HistoryMatch.maintenance(1, 0.5) | DeleteMatch.maintenance() | OrphanMatch.maintenance(1)
    await match.register({"maintenance": maintenance})
    before, files = match.table.metadata_location, stored(match.table)
    assert match.story.unknown is not None
    is_of_writing = match.story.unknown.is_of_writing and match.table.metadata.format_version > 2
    for operation in [Operation.REWRITE_DELETES] if is_of_writing else _UPKEEP:
        run = await match.run(RunRequest(operation))
        assert run.reason == "not_eligible", f"{operation}: {run.state} {run.reason}, {run.detail}"
        assert match.story.unknown.refusal in str(run.detail), run.detail
    assert (match.table.metadata_location, stored(match.table)) == (before, files)
    match.counts["tables with an unknown feature"] += 1


def _expiry(keep_last: int, random: Random) -> Operation:
    """Return one of the operations that expire by age; a reclamation keeps one snapshot."""
    is_reclaimed = keep_last == 1 and random.random() < 0.7
    return Operation.RECLAIM if is_reclaimed else Operation.EXPIRE_SNAPSHOTS


def _drop_protection(match: Match) -> None:
    """Remove the tags by which a rewrite protects the snapshot that it replaced."""
    if match.random.random() < 0.7 and match.table.metadata.format_version < 3:
        for name in [each for each in match.table.refs() if each.startswith("packhouse")]:
            match.table.manage_snapshots().remove_tag(name).commit()
