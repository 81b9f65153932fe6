"""A real HDFS on loopback: a name node and a data node of Hadoop, from the jars of PySpark and one of Maven."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import hdfs_native
import pyspark
import pytest

from engine.embedded.jars import CACHE_FOLDER, fetch

_SPARK: Final = Path(pyspark.__file__).parent / "jars"
_PATTERNS: Final = ("hadoop-client-api-*", "hadoop-client-runtime-*", "slf4j-api-*", "jcl-over-slf4j-*", "log4j-*")
_NODES: Final = "org.apache.hadoop.hdfs.server"
_START_SECONDS: Final = 60.0


def minicluster() -> str:
    """Return the coordinate of the jar with the servers of the Hadoop version that comes with Spark."""
    (version,) = [each.stem.rpartition("-")[2] for each in _SPARK.glob("hadoop-client-api-*.jar")]
    return f"org.apache.hadoop:hadoop-client-minicluster:{version}"


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the name node."""
    folder = tmp_path_factory.mktemp("hdfs")
    ports = [_free_port() for _ in range(5)]
    _configure(folder, ports)
    jars = [fetch(minicluster(), CACHE_FOLDER)]
    jars += [jar for pattern in _PATTERNS for jar in _SPARK.glob(f"{pattern}.jar")]
    java = [str(Path(os.environ["JAVA_HOME"]) / "bin/java") if "JAVA_HOME" in os.environ else "java", "-Xmx192m"]
    java += ["-cp", os.pathsep.join(map(str, [folder, *jars]))]
    with (folder / "log").open("wb") as log:
        name_node = [*java, f"{_NODES}.namenode.NameNode"]
        subprocess.run([*name_node, "-format", "-force", "-nonInteractive"], check=True, stdout=log, stderr=log)
        started = [
            subprocess.Popen(command, stdout=log, stderr=log)
            for command in (name_node, [*java, f"{_NODES}.datanode.DataNode"])
        ]
    address = f"hdfs://127.0.0.1:{ports[0]}"
    try:
        _wait_for(address)
        yield address
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()
        shutil.rmtree(folder)


def _configure(folder: Path, ports: list[int]) -> None:
    addresses = ("namenode.rpc-address", "namenode.http-address", "datanode.address", "datanode.http.address",
                 "datanode.ipc.address")  # fmt: skip
    settings = {f"dfs.{name}": f"127.0.0.1:{port}" for name, port in zip(addresses, ports, strict=True)}
    settings |= {
        "fs.defaultFS": f"hdfs://127.0.0.1:{ports[0]}",
        "dfs.namenode.name.dir": (folder / "names").as_uri(),
        "dfs.datanode.data.dir": (folder / "data").as_uri(),
        "dfs.replication": "1",
        "dfs.permissions.enabled": "false",
    }
    text = "".join(
        f"<property><name>{name}</name><value>{value}</value></property>" for name, value in settings.items()
    )
    for name in ("core-site.xml", "hdfs-site.xml"):
        (folder / name).write_text(f"<configuration>{text}</configuration>")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(address: str) -> None:
    """Wait until a file can be written: a name node answers before it has a data node."""
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            with hdfs_native.Client(address, {"dfs.client.failover.max.attempts": "1"}).create(
                "/started", hdfs_native.WriteOptions(overwrite=True)
            ) as file:
                file.write(b"x")
        except (OSError, RuntimeError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.3)
        else:
            return
