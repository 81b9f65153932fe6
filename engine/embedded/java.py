"""Locate the requirements of an embedded Spark server: a Java runtime, and the jars in the pyspark wheel."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from engine.domain.errors import InvalidInput, Transient


def find_java() -> Path:
    """Return the `java` command from JAVA_HOME, otherwise from PATH. Its version (17 is needed) is not checked.

    Raises:
        Transient: there is none; the message explains how to install one.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME is {home}, and there is no bin/java in it" if home else "no java on PATH"
        raise Transient(f"Spark needs Java 17, and {where}: apt-get install openjdk-17-jre-headless")
    return Path(found)


def is_whole_spark() -> bool:
    """Return whether a complete Spark distribution is installed, and not its client alone."""
    home = _pyspark()
    return home is not None and (home / "jars").is_dir()


def find_spark_home() -> Path:
    """Return the folder of the installed pyspark wheel, which is a complete Spark distribution.

    Raises:
        InvalidInput: pyspark is not installed, or is Spark's client alone; the message explains what to install.
    """
    home = _pyspark()
    if home is None or not is_whole_spark():
        found = "pyspark is not installed" if home is None else "the installed pyspark is Spark's client alone"
        raise InvalidInput(
            f"{found}: pip install 'packhouse-server[embedded]' in an environment of its own, "
            "or set PACKHOUSE_SPARK_URL to a Spark Connect server"
        )
    return home


def _pyspark() -> Path | None:
    wheel = find_spec("pyspark")
    return Path(wheel.origin).parent if wheel is not None and wheel.origin is not None else None
