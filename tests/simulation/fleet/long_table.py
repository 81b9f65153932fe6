"""A table of many files and very many commits: what old snapshots held can be looked up, and is not kept for each."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.domain.tables.table import TableRef
from engine.planning.measures.digest import PartitionTime, TimeUnit
from tests.simulation.tables import DataFile, ModelTable, Snapshot
from tests.simulation.world import World

KEPT = 5
"""So many of the newest snapshots hold all of their files."""


class LongTable(ModelTable):
    """Partitioned by `day`; files only come by appends and go by rewrites."""

    def __init__(self, world: World, catalog: str, name: str) -> None:
        made = world.lake.table(TableRef(catalog, ("lake",), name))
        super().__init__(made.ref, made.lake)
        self.times = {0: PartitionTime("day", TimeUnit.DAY)}
        self._ever: dict[str, DataFile] = {}
        world.lake.tables[made.ref] = self

    def install(self, snapshot: Snapshot) -> Snapshot:
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
    """Every file that ever was, by path; a list of none."""

    def __init__(self, ever: Mapping[str, DataFile]) -> None:
        self._ever = ever

    def __getitem__(self, path: str) -> DataFile:
        return self._ever[path]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
