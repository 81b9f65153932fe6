"""Tables in a warehouse in S3, written by Paimon's core."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.rewrite.heap import COMMIT_HEAP_BYTES
from engine.formats.paimon.rewrite.stores import core_storage
from engine.formats.paimon.table import PaimonTable
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from tests.support.format_subjects import local_core
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import CoreTable, PaimonLake
from tests.support.s3_server import BUCKET, S3Server

WRITER: Final = "writer-key"
SECRET: Final = "writer-secret-0123456789"


def start_child() -> None:
    """Start the child JVM with the file system of S3, unless it runs, with the heap of commits."""
    with CORE_PROCESSES.lend(local_core().jar(), COMMIT_HEAP_BYTES, local_core().store_jar()):
        pass


def upload(server: S3Server, lake: PaimonLake, *, without: str = " ") -> None:
    """Copy the files of a warehouse on a disk, except for those with this suffix, to the warehouse of the store."""
    for path in lake.root.rglob("*"):
        if path.is_file() and path.suffix != without:
            server.put(f"warehouse/{path.relative_to(lake.root)}", path.read_bytes())


@dataclass(frozen=True)
class S3Lake(CoreTable):
    """A table in S3; Packhouse has the key `key` and its secret `secret`."""

    core: PaimonCore
    server: S3Server
    root: str = f"s3://{BUCKET}/warehouse"
    name: str = "events"
    key: str = "packhouse-key"
    secret: str = "packhouse-secret-9876543210"

    @property
    def warehouse(self) -> str:
        return self.root

    @property
    def location(self) -> str:
        return f"{self.root}/lake.db/{self.name}"

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "filesystem", "warehouse": self.root, **self.server.properties(self.key, self.secret)}

    def create(self, *given: Any, **options: Any) -> Self:
        """Create the table, with access of the core to the store; see `CoreTable.create`."""
        self.core.call("use_store", warehouse=self.root, options=self.access())
        return self.make(*given, **options)

    def access(self) -> Mapping[str, str]:
        """Return the options with which writers reach the store."""
        return core_storage(self.root, self.server.properties(WRITER, SECRET))

    def make(self, *given: Any, **options: Any) -> Self:
        """Create the table in a store that is in use."""
        return super().create(*given, **options)

    def open(self) -> PaimonTable:
        return PaimonFormat(core=local_core()).connect("lake", self.properties).open_table(self.ref)

    def own_keys(self) -> list[str]:
        """Return the keys of files that tasks of Packhouse wrote, and of probes and other files in the way."""
        return sorted(key for key in self.server.stored() if "/run_" in key or ".tmp" in key)
