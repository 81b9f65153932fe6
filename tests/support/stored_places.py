"""Places for the files of tables: a folder of this machine, or a bucket, used alike by tests that compare them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from engine.formats.intake.table_storage import TableStorage
from engine.rewriting.kernel.storage.places import AllowedFolders
from tests.support.s3_server import BUCKET, S3Server


@dataclass(frozen=True)
class StoredPlace:
    """A place on a disk, or with a `server` in its bucket.

    Attributes:
        root: address of the folder of everything, as tables of Hive and Paimon have it.
        access: properties with which catalogs reach it.
    """

    root: str
    access: Mapping[str, str]
    server: S3Server | None = None

    @staticmethod
    def on_disk(folder: Path) -> "StoredPlace":
        """Return a place in a folder, which is made."""
        folder.mkdir(parents=True)
        return StoredPlace(str(folder), {})

    @staticmethod
    def on_s3(server: S3Server) -> "StoredPlace":
        """Return a place in the bucket of a server."""
        return StoredPlace(f"s3://{BUCKET}/at", server.properties("packhouse", "secret"), server)

    @property
    def registered(self) -> Mapping[str, str]:
        """The access with references to secrets, as catalogs are registered; a test sets the variables."""
        secrets = {"s3.access-key-id": "env:TEST_S3_KEY", "s3.secret-access-key": "env:TEST_S3_SECRET"}
        return dict(self.access) | (secrets if self.server is not None else {})

    @property
    def uri(self) -> str:
        """Its address with a scheme."""
        return self.root if self.server is not None else f"file://{self.root}"

    @property
    def files(self) -> TableStorage:
        """Access to its files."""
        return TableStorage(self.access, places=AllowedFolders([self.root]))

    def stored(self) -> set[str]:
        """Return the paths of all files, relative to the root."""
        return {each.removeprefix(f"{self.root}/") for each in self.files.files_below(self.root)}

    def grow_old(self, at: datetime) -> None:
        """Make every file as old as an instant."""
        if self.server is not None:
            self.server.grow_old(at)
            return
        for each in self.stored():
            os.utime(f"{self.root}/{each}", (at.timestamp(), at.timestamp()))
