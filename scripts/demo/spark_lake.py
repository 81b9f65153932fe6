"""A lake of one table that Spark writes, and a Packhouse that compacts it: for `demo-native` and `demo-v3`."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pyiceberg.catalog.sql import SqlCatalog
from screen import Screen
from server import Server
from stack import Stack

from engine.embedded.iceberg import SQL_EXTENSIONS, catalog_confs
from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.spark import EmbeddedSpark
from engine.spark.sessions import SparkSessions

ROOT: Final = Path(__file__).parents[2]
NAME: Final = "lake.shop.orders"


@dataclass
class SparkLake:
    """The lake, as Spark and Packhouse have it; `table`: as the server registered it."""

    screen: Screen
    session: Any
    stack: Stack
    properties: dict[str, str]
    server: Server = field(init=False)
    table: dict[str, Any] = field(init=False)

    def register(self) -> dict[str, Any]:
        """Register catalog and table; return what explain says of the table."""
        self.server = Server(url=self.stack.url, key=self.stack.wait())
        self.server.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": self.properties})
        self.table = self.server.post("/v1/tables", {"catalog": "lake", "namespace": ["shop"], "name": "orders"})
        explained: dict[str, Any] = self.server.get(f"/v1/tables/{self.table['id']}/explain")
        return explained

    def compact(self) -> dict[str, Any]:
        """Run a rewrite to its end, and prove that it succeeded and that its checks hold."""
        with self.screen.run() as view:
            run: dict[str, Any] = self.server.run_to_end(self.table["id"], view)
        self.screen.outcome(run)
        self.screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
        proofs = [check for proof in run["result"]["verifications"] for check in proof["checks"]]
        held = sum(check["holds"] for check in proofs)
        self.screen.prove("Packhouse's checks hold", 0 < held == len(proofs), f"{held} of {len(proofs)}")
        return run

    def files(self, of: str = "data_files") -> int:
        """Return the number of live files of one of Iceberg's metadata tables."""
        self.session.sql(f"REFRESH TABLE {NAME}")
        return int(self.session.sql(f"SELECT count(*) FROM {NAME}.{of}").collect()[0][0])  # noqa: S608


def tell(name: str, *chapters: Callable[[SparkLake], None]) -> None:
    """Tell a story in chapters on a lake of its own, `.cache/<name>`; exit 1 when a proof fails."""
    started = time.monotonic()
    with spark_lake(name) as lake:
        for chapter in chapters:
            chapter(lake)
    sys.exit(0 if lake.screen.summary(time.monotonic() - started) else 1)


@contextmanager
def spark_lake(name: str) -> Iterator[SparkLake]:
    """Start Spark and Packhouse with an empty lake in `.cache/<name>`, which is emptied first."""
    folder, screen = ROOT / ".cache" / name, Screen()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    properties = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/lake"}
    with SqlCatalog("lake", **properties) as catalog:
        catalog.create_namespace("shop")
    confs = {**SQL_EXTENSIONS, **catalog_confs("lake", folder / "catalog.db", warehouse=properties["warehouse"])}
    jars = fetch_all([ICEBERG_RUNTIME, SQLITE_JDBC], ROOT / CACHE_FOLDER)
    spark = EmbeddedSpark(data_dir=folder, cores=2, jars=jars, confs=confs)
    url = spark.start()
    sessions = SparkSessions(url=url, user_id="demo")
    try:
        with Stack(data_dir=folder / "data", PACKHOUSE_SPARK_URL=url) as stack:
            yield SparkLake(screen, sessions.get(), stack, properties | {"packhouse.spark-catalog": "lake"})
    finally:
        sessions.close()
        spark.stop()
