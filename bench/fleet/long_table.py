"""Model a table with many files and very many commits: old snapshots share one index of all files."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.domain.tables.table import TableRef
from engine.domain.values.partitions import TimeUnit
from engine.planning.measures.digest import PartitionTime
from tests.simulation.lake import DataFile, ModelTable, Snapshot
from tests.simulation.world import World

KEPT = 5
"""Number of the newest snapshots that hold their own files."""


class LongTable(ModelTable):
    """Partitioned by `day`; files are added by appends and removed by rewrites only."""

    def __init__(self, world: World, catalog: str, name: str) -> None:
        made = world.lake.table(TableRef(catalog, ("lake",), name))
        super().__init__(made.ref, made.lake)
        self.times = {0: PartitionTime("day", TimeUnit.DAY)}
        self._ever: dict[str, DataFile] = {}
        world.lake.tables[made.ref] = self

    def install(self, snapshot: Snapshot) -> Snapshot:
        """Make a snapshot the head, and drop the files of the snapshot that is no longer kept whole."""
        made = super().install(snapshot)
        self._ever |= {each.path: each for each in made.added}
        self.digests.clear()
        if len(self.snapshots) > KEPT:
            old = self.snapshots[-KEPT - 1]
            is_ours = old.run_id is not None
            self.snapshots[-KEPT - 1] = replace(
                old, files=_Past(self._ever), added=old.added if is_ours else (), removed=old.removed if is_ours else ()
            )
        return made


class _Past(Mapping[str, DataFile]):
    """Every file that was ever added, by path; iterating yields none."""

    def __init__(self, ever: Mapping[str, DataFile]) -> None:
        self._ever = ever

    def __getitem__(self, path: str) -> DataFile:
        return self._ever[path]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
