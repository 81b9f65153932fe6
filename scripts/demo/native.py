"""The native path: `make demo-native`. Spark writes a table that the kernel must not touch, and Iceberg compacts it.

Format version 3, partitioned by day, rows deleted by deletion vectors. Explain says why the procedure is called, and
what it did is proven twice: by Packhouse from the table's metadata, and here by all rows as Spark reads them. The exit
code is 1 when a proof fails. The first start fetches the Iceberg runtime (48 MB).
"""

import shutil
import sys
import time
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
FOLDER: Final = ROOT / ".cache" / "demo-native"
NAME: Final = "lake.shop.orders"
COMMITS: Final = 8
ROWS: Final = 4000
_ALL_ROWS: Final = f"SELECT count(*), bit_xor(xxhash64(id, day, price)), bit_xor(xxhash64(id, _row_id)) FROM {NAME}"  # noqa: S608


def main() -> None:
    """Tell the story; exit 1 when a proof fails."""
    started = time.monotonic()
    screen = Screen()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    properties = {"type": "sql", "uri": f"sqlite:///{FOLDER}/catalog.db", "warehouse": f"file://{FOLDER}/lake"}
    with SqlCatalog("lake", **properties) as catalog:
        catalog.create_namespace("shop")
    spark = _spark(properties["warehouse"])
    url = spark.start()
    sessions = SparkSessions(url=url, user_id="demo")
    try:
        with Stack(data_dir=FOLDER / "data", PACKHOUSE_SPARK_URL=url) as stack:
            write(screen, sessions.get())
            server = Server(url=stack.url, key=stack.wait())
            compact(screen, server, sessions.get(), properties | {"packhouse.spark-catalog": "lake"})
    finally:
        sessions.close()
        spark.stop()
    sys.exit(0 if screen.summary(time.monotonic() - started) else 1)


def write(screen: Screen, session: Any) -> None:
    """Chapter 1: a table that the kernel must not touch."""
    screen.chapter("1. A table with deletion vectors, written by Spark")
    session.sql(
        f"CREATE TABLE {NAME} (id BIGINT, day DATE, price DOUBLE) USING iceberg PARTITIONED BY (day) "
        "TBLPROPERTIES ('format-version'='3', 'write.delete.mode'='merge-on-read', 'write.distribution-mode'='none')"
    )
    for number in range(COMMITS):
        days = "DATE'2026-11-01' + CAST(id % 3 AS INT)"
        rows = f"range({number * ROWS}, {(number + 1) * ROWS}, 1, 1)"
        session.sql(f"INSERT INTO {NAME} SELECT id, {days}, id / 7 FROM {rows}")  # noqa: S608
    session.sql(f"DELETE FROM {NAME} WHERE id % 11 = 5")  # noqa: S608
    screen.say(f"[bold]{NAME}[/]: {COMMITS} commits, one delete of every eleventh row, {files(session)} data files")


def compact(screen: Screen, server: Server, session: Any, properties: dict[str, str]) -> None:
    """Chapter 2: explain, run, and the proofs."""
    screen.chapter("2. Why Iceberg's own procedure, and what it does")
    server.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": properties})
    table = server.post("/v1/tables", {"catalog": "lake", "namespace": ["shop"], "name": "orders"})
    explained = server.get(f"/v1/tables/{table['id']}/explain")
    why = next((each["detail"] for each in explained["conditions"] if each["name"] == "engine_native"), "")
    screen.prove("explain says that the procedure is called", "format_version" in why, why or "it does not")
    before, files_before = session.sql(_ALL_ROWS).collect(), files(session)
    with screen.run() as view:
        run = server.run_to_end(table["id"], view)
    screen.outcome(run)
    result, after = run["result"], session.sql(_ALL_ROWS).collect()
    screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
    proofs = [check for proof in result["verifications"] for check in proof["checks"]]
    held = sum(check["holds"] for check in proofs)
    screen.prove("Packhouse's checks hold", 0 < held == len(proofs), f"{held} of {len(proofs)}")
    screen.prove("fewer files", files(session) < files_before, f"{files_before} → {files(session)}")
    gone = result["deleted_rows"]
    screen.prove("deleted rows are gone from the files", gone > 0, f"{gone:,} rows of {result['rewritten_rows']:,}")
    screen.prove("Spark reads the same rows with the same row ids", before == after, f"{after[0][0]:,} rows")


def files(session: Any) -> int:
    """Return the number of live data files."""
    session.sql(f"REFRESH TABLE {NAME}")
    return int(session.sql(f"SELECT count(*) FROM {NAME}.data_files").collect()[0][0])  # noqa: S608


def _spark(warehouse: str) -> EmbeddedSpark:
    confs = {**SQL_EXTENSIONS, **catalog_confs("lake", FOLDER / "catalog.db", warehouse=warehouse)}
    jars = fetch_all([ICEBERG_RUNTIME, SQLITE_JDBC], ROOT / CACHE_FOLDER)
    return EmbeddedSpark(data_dir=FOLDER, cores=2, jars=jars, confs=confs)


if __name__ == "__main__":
    main()
