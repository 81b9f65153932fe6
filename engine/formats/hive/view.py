"""A table as loaded at one point in time: its entry, its partitions and their files, read on first use and kept."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pyarrow.compute as pc
from hive_metastore.ttypes import Partition

from engine.domain.tables.table import TableRef
from engine.formats.base import FileScope
from engine.formats.hive.catalog.roles import HiveCatalog
from engine.formats.hive.files.digests import digest_of, state_of
from engine.formats.hive.files.listing import TableListing, data_files
from engine.formats.hive.metadata.partition_keys import PartitionKeys
from engine.formats.hive.metadata.partitions import Partitions
from engine.formats.hive.metadata.tables import TableEntry
from engine.formats.hive.refusals import PartitionRefusal, refusals_of
from engine.formats.hive.rewrite.folders import may_be_below
from engine.formats.intake.limits import Malformed, Unsupported
from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.places import AllowedFolders


@dataclass(frozen=True)
class TableView:
    """A loaded table. Properties raise `Malformed`, `OSError` and the exceptions of the catalog's calls.

    `meaningless`: names of parameters that change nothing for readers, by the catalog; see `metadata.parameters`.
    """

    ref: TableRef
    entry: TableEntry
    catalog: HiveCatalog
    storage: Mapping[str, str] = field(repr=False)
    scope: FileScope
    meaningless: Sequence[str] = ()

    @staticmethod
    def load(
        ref: TableRef,
        catalog: HiveCatalog,
        scope: FileScope,
        meaningless: Sequence[str] = (),
    ) -> "TableView | None":
        """Load a table with its partitions and the names of its files; None if there is none.

        Raises:
            Malformed: it is not a table of Parquet files.
        """
        if len(ref.namespace) != 1 or (stored := catalog.table(ref.namespace[0], ref.name)) is None:
            return None
        view = TableView(ref, TableEntry.of(stored), catalog, catalog.storage(), scope, meaningless)
        if (problem := view.entry.problem) is not None:
            raise Unsupported(problem)
        if not view.entry.location:
            raise Malformed("its entry has no location")
        return view

    @cached_property
    def places(self) -> AllowedFolders:
        """The folders that its files may be in."""
        return AllowedFolders(self.scope.folders(self.entry.location))

    @property
    def files_of_table(self) -> TableStorage:
        """Its folders, to read and write whole files in."""
        return TableStorage(self.storage, places=self.places)

    @cached_property
    def partitions(self) -> Partitions:
        """Its partitions."""
        address, columns = (self.ref.namespace[0], self.ref.name), len(self.entry.columns)
        stored = self.catalog.partitions(*address, columns) if self.entry.keys else ()
        return Partitions.of(self.entry, stored, self.places, self.meaningless)

    def partition(self, values: Sequence[str]) -> Partition | None:
        """Return the present entry of a partition, by the texts of its keys; None if there is none."""
        return self.catalog.partition(self.ref.namespace[0], self.ref.name, values)

    def partition_of(self, name: str) -> Partition | None:
        """Return the present entry of a partition, by its canonical JSON; None if there is none.

        All partitions are read only if it is not found by the usual texts of its values.
        """
        found = self.partition(self.keys.texts(name))
        if found is None and (values := self.partitions.values_of(name)) is not None:
            return self.partition(values)
        return found

    def change_partition(self, changed: Partition, before: Partition) -> None:
        """Change the entry of a partition; see `HiveCatalog.change_partition`."""
        self.catalog.change_partition(self.ref.namespace[0], self.ref.name, changed, before)

    @cached_property
    def listing(self) -> TableListing:
        """Its data files, and the marks of other formats among its folders."""
        return data_files(self.partitions, self.entry.location, self.storage)

    @property
    def files(self) -> pa.Table:
        """Its data files, with the columns `listing.FILES`."""
        return self.listing.files

    @cached_property
    def has_unclear_partitions(self) -> bool:
        """Whether a partition outside of its folders may be in one of them under another name: see `may_be_below`."""
        outside = self.partitions.table.filter(self.partitions.table["is_outside"])["location"].to_pylist()
        return any(may_be_below(each, self.entry.location) for each in outside)

    @cached_property
    def refusals(self) -> Mapping[int, PartitionRefusal]:
        """The reasons to leave partitions alone, by their row."""
        return refusals_of(self.partitions, self.listing, self.entry.location, [each.name for each in self.entry.keys])

    @cached_property
    def digest(self) -> pa.Table:
        """The digest of its data files."""
        return digest_of(self.files, self.partitions, self.refusals)

    @cached_property
    def state(self) -> int | None:
        """The fingerprint of schema, partitions and files; None without files."""
        return state_of(self.files, self.partitions, self.entry.schema_id)

    @property
    def pointer(self) -> str:
        """The fingerprint as text, with a checksum of what keeps the table or some partitions from being rewritten."""
        entry, names = self.entry, self.partitions.table["partition"]
        found = [*entry.storage_problems(self.meaningless), *entry.parameter_problems(self.meaningless)]
        found += [f"{names[row].as_py()} {each.reason} {each.detail}" for row, each in self.refusals.items()]
        return f"state-{self.state or 0:016x}" + (f"-{zlib.crc32(repr(found).encode()):08x}" if found else "")

    @property
    def uuid(self) -> str:
        """An identity of the table from its address and the time of its creation."""
        return str(
            uuid5(NAMESPACE_URL, f"hive:{'.'.join((*self.ref.namespace, self.ref.name))}.{self.entry.created_at_s}")
        )

    @property
    def keys(self) -> PartitionKeys:
        """Its partition keys."""
        return PartitionKeys(self.entry.keys)

    @property
    def newest_ms(self) -> int:
        """The time of the newest file, in milliseconds since 1970; 0 without files."""
        return int(pc.max(self.digest["data_at_ms"]).as_py() or 0)

    @property
    def oldest_ms(self) -> int:
        """The time of the oldest file, in milliseconds since 1970; 0 without files."""
        return int(pc.min(self.digest["data_at_ms"]).as_py() or 0)

    def names(self) -> Sequence[str]:
        """Return the canonical JSON of each partition."""
        found: list[str] = self.partitions.table["partition"].to_pylist()
        return found
