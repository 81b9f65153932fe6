"""Locate the parts of the child JVM: the java command, Paimon's jar, and the jars that come with Spark."""

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine.formats.paimon.task.errors import CoreFault

_FROM_SPARK: Final = (
    "hadoop-client-api-*.jar",
    "hadoop-client-runtime-*.jar",
    "slf4j-api-*.jar",
    "jcl-over-slf4j-*.jar",
    "py4j-*.jar",
    "snappy-java-*.jar",
    "lz4-java-*.jar",
)
"""The last two are codecs of Parquet and ORC files, of which Paimon's jar has only the callers."""


def find_java() -> Path:
    """Return the java command of JAVA_HOME, otherwise that of PATH.

    Raises:
        CoreFault: there is none.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is no java on PATH"
        raise CoreFault(f"Paimon's core needs Java on the executors, and {where}: set spark.executorEnv.JAVA_HOME")
    return Path(found)


def upload_folder() -> Path:
    """Return the local folder for parts of files that the child JVM of this process uploads to S3."""
    return Path(tempfile.gettempdir(), f"packhouse-uploads-{os.getpid()}")


def class_path(jar: str, store_jar: str = "") -> str:
    """Return the class path of the child JVM: Paimon's jars, then jars of Spark.

    Args:
        jar: an absolute path, or the name of a file that was added to Spark.
        store_jar: likewise, the jar of an object store; empty without one.

    Raises:
        CoreFault: one of the jars is missing.
    """
    folder = _spark_jars()
    jars = [_paimon(jar, "paimon-bundle")]
    if store_jar:
        jars.append(_paimon(store_jar, "paimon-s3"))
    for pattern in _FROM_SPARK:
        found = sorted(folder.glob(pattern))
        if not found:
            raise CoreFault(
                f"{folder} has no {pattern}, which Paimon's core needs: set spark.executorEnv.SPARK_HOME to a complete "
                "Spark distribution"
            )
        jars += found
    return os.pathsep.join(map(str, jars))


def _paimon(jar: str, name: str) -> Path:
    path = Path(jar) if Path(jar).is_absolute() else _added_file(jar)
    if not path.is_file():
        raise CoreFault(f"{path} does not exist on the executor: it has to be the jar of Paimon, {name}")
    return path


def _added_file(name: str) -> Path:
    """Return the local path of a file that was added to Spark."""
    from pyspark import SparkFiles  # noqa: PLC0415 - only where Spark runs the task

    return Path(SparkFiles.get(name))


def _spark_jars() -> Path:
    """Return the folder of Spark's jars: of SPARK_HOME, otherwise of the installed pyspark."""
    homes = [Path(os.environ["SPARK_HOME"])] if os.environ.get("SPARK_HOME") else []
    wheel = find_spec("pyspark")
    if wheel is not None and wheel.origin is not None:
        homes.append(Path(wheel.origin).parent)
    folder = next((home / "jars" for home in homes if (home / "jars").is_dir()), None)
    if folder is None:
        looked = ", ".join(map(str, homes)) or "neither SPARK_HOME nor pyspark"
        raise CoreFault(f"no folder `jars` of Spark on the executor ({looked}): set spark.executorEnv.SPARK_HOME")
    return folder
