"""Locate the requirements of an embedded Spark server: a Java runtime, and the jars in the pyspark wheel."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from engine.domain.errors import Transient


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


def find_spark_home() -> Path:
    """Return the folder of the installed pyspark wheel, which is a complete Spark distribution.

    Raises:
        Transient: pyspark is not installed.
    """
    wheel = find_spec("pyspark")
    if wheel is None or wheel.origin is None:
        raise Transient("pyspark is not installed: uv sync")
    return Path(wheel.origin).parent
