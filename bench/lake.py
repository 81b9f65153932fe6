"""A lake for benchmarks: one warm Spark Connect server and one SQLite catalog that Spark and we share.

Tables are written by Spark. A copy of a table is a second table of the same data files: rewriting a copy
adds files and leaves those of the others as they are, so every contender starts from the very same bytes.
"""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from bench.lineitem import write_files
from bench.service import Service
from engine.embedded.iceberg import SQL_EXTENSIONS, catalog_confs
from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.spark import EmbeddedSpark
from engine.formats.base import SPARK_CATALOG
from engine.spark.sessions import SparkSessions
from tests.support.store_server import BUCKET, StoreServer
from tests.support.twins import add_twin

CATALOG, NAMESPACE = "bench", "lake"
ICEBERG_AWS = "org.apache.iceberg:iceberg-aws-bundle:1.12.0"
TARGET_BYTES = 128 * 2**20


class Lake:
    """Use as a context manager: the server starts with it and ends with it."""

    def __init__(
        self, *, folder: Path, cores: int, settings: Mapping[str, str] | None = None, store: StoreServer | None = None
    ) -> None:
        """Make a lake in a folder, or in an object store that Spark reaches through Iceberg's S3FileIO."""
        database = folder.absolute() / "catalog.db"
        warehouse = (folder / "warehouse").as_uri() if store is None else f"s3://{BUCKET}/warehouse"
        self.cores = cores
        self.properties = {"type": "sql", "uri": f"sqlite:///{database}", "warehouse": warehouse}
        wanted = [ICEBERG_RUNTIME, SQLITE_JDBC]
        confs = {**SQL_EXTENSIONS, **catalog_confs(CATALOG, database, warehouse=warehouse)}
        if store is not None:
            self.properties |= {"s3.endpoint": store.url, "s3.region": "us-east-1", "s3.anonymous": "true"}
            wanted.append(ICEBERG_AWS)
            confs |= {f"spark.sql.catalog.{CATALOG}.{name}": value for name, value in _s3_file_io(store).items()}
        jars = fetch_all(wanted, CACHE_FOLDER)
        confs |= settings or {}
        self._server = EmbeddedSpark(data_dir=folder, cores=cores, jars=jars, confs=confs)
        self._folder = folder
        self._copies = 0

    def __enter__(self) -> Self:
        """Start the server, warm it up, and make the namespace."""
        spark_url = self._server.start()
        self.sessions = SparkSessions(url=spark_url, user_id="bench")
        self.sessions.warm_up(self.cores)
        self.spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {CATALOG}.{NAMESPACE}")
        self._catalog = SqlCatalog(CATALOG, **self.properties)
        self.service = Service(
            folder=self._folder / "packhouse",
            spark_url=spark_url,
            catalog=CATALOG,
            properties={**self.properties, SPARK_CATALOG: CATALOG},
            cores=self.cores,
        )
        self.service.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop everything that was started."""
        self.service.__exit__()
        self._catalog.close()
        self.sessions.close()
        self._server.stop()

    @property
    def spark(self) -> Any:
        """The warm session."""
        return self.sessions.get()

    def write(self, name: str, *, columns: str, files: int, file_bytes: int) -> None:
        """Let Spark write a table of so many files."""
        write_files(self.spark, table=spark_name(name), columns=columns, files=files, file_bytes=file_bytes)

    def copy(self, name: str, policy: dict[str, Any] | None = None) -> str:
        """Return the name of a new copy; its policy is the one that all contenders share unless one is given."""
        self._copies += 1
        copied = f"{name}_{self._copies}"
        self.duplicate(name, copied)
        shared = {"rewrite": {"target_file_bytes": TARGET_BYTES}, "limits": {"parallel_groups": self.cores}}
        self.service.register(NAMESPACE, copied)
        self.service.set_policy(copied, policy or shared)
        return copied

    def duplicate(self, name: str, other: str) -> None:
        """Make a second table of the same files, which Packhouse does not know."""
        add_twin(self._catalog, self.table(name), (NAMESPACE, other))

    def table(self, name: str) -> Table:
        """Return a table as it is now."""
        return self._catalog.load_table((NAMESPACE, name))

    def files(self, name: str) -> list[tuple[Path, int]]:
        """Return the live data files of a table and their sizes, in the order of paths."""
        found = self.table(name).inspect.files().select(["file_path", "file_size_in_bytes"])
        return sorted(
            (Path(row["file_path"].removeprefix("file:")), row["file_size_in_bytes"]) for row in found.to_pylist()
        )

    def scan(self, name: str) -> pa.Table:
        """Return all rows of a table, read by PyIceberg."""
        return self.table(name).scan().to_arrow()

    def is_rewritten(self, name: str) -> bool:
        """Tell whether any snapshot of a table replaced files."""
        snapshots = self.table(name).snapshots()
        return any(each.summary is not None and each.summary.operation.value == "replace" for each in snapshots)


def _s3_file_io(store: StoreServer) -> Mapping[str, str]:
    """Return the properties of Iceberg's own access to a store."""
    return {
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint": store.url,
        "s3.path-style-access": "true",
        "s3.access-key-id": "key",
        "s3.secret-access-key": "secret",
        "client.region": "us-east-1",
    }


def spark_name(name: str) -> str:
    """Return how Spark calls a table of the lake."""
    return f"{CATALOG}.{NAMESPACE}.{name}"
