"""Download jars by Maven coordinate into a folder, using the Ivy in the pyspark wheel.

Command line: `python -m engine.embedded.jars [folder coordinate…]`; without arguments it downloads the jars that the
tests and benchmarks compare with to `.cache/jars`. Needs Java and the network, but only for jars that are missing.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from engine.domain.errors import InvalidInput, Transient
from engine.embedded.java import find_java, find_spark_home

ICEBERG_RUNTIME: Final = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
SQLITE_JDBC: Final = "org.xerial:sqlite-jdbc:3.50.3.0"
CACHE_FOLDER: Final = Path(".cache/jars")
_COORDINATE: Final = re.compile(r"^([\w.-]+):([\w.-]+):([\w.-]+)(?::([\w.-]+))?$")
_FETCH_SECONDS: Final = 600
_WANTED: Final = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="packhouse" module="jars"/>
  <dependencies>
    <dependency org="{0}" name="{1}" rev="{2}" transitive="false" conf="default->master">{3}</dependency>
  </dependencies>
</ivy-module>
"""
_CLASSIFIED: Final = '<artifact name="{0}" type="jar" ext="jar" m:classifier="{1}"/>'


def fetch(coordinate: str, folder: Path) -> Path:
    """Return the path of `artifact-version.jar` in the folder; download it, without dependencies, if it is missing.

    The optional fourth part of the coordinate is a classifier: `artifact-version-classifier.jar`. Safe when several
    processes fetch at once: the jar is created atomically.

    Raises:
        InvalidInput: not `group:artifact:version[:classifier]`, or no repository has this jar.
        Transient: no Java, or no answer from the repository.
    """
    match = _COORDINATE.match(coordinate)
    if match is None:
        raise InvalidInput(f"{coordinate!r} is not a Maven coordinate: write group:artifact:version")
    group, artifact, version, classifier = match.groups()
    jar = folder / f"{'-'.join(filter(None, (artifact, version, classifier)))}.jar"
    if not jar.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="fetch-", dir=folder.absolute()) as scratch:
            beside = _CLASSIFIED.format(artifact, classifier) if classifier else ""
            wanted = _WANTED.format(group, artifact, version, beside)
            _retrieve(coordinate, wanted, Path(scratch) / jar.name).replace(jar)
    return jar


def main(arguments: list[str]) -> None:
    """Fetch the given coordinates, by default the jars that tests need, and print their paths."""
    folder = Path(arguments[0]) if arguments else CACHE_FOLDER
    for coordinate in arguments[1:] or [ICEBERG_RUNTIME, SQLITE_JDBC]:
        print(fetch(coordinate, folder))  # noqa: T201 - the command's output


def _retrieve(coordinate: str, wanted: str, jar: Path) -> Path:
    """Download the one jar of a module description with Ivy to a path in an empty folder."""
    ivy = next(iter(sorted((find_spark_home() / "jars").glob("ivy-*.jar"))), None)
    if ivy is None:
        raise Transient("the installed pyspark has no ivy-*.jar in its jars folder")
    scratch = jar.parent
    (scratch / "ivy.xml").write_text(wanted)
    command = [str(find_java()), f"-Divy.default.ivy.user.dir={scratch / 'ivy'}", "-jar", str(ivy)]
    command += ["-ivy", str(scratch / "ivy.xml"), "-types", "jar", "bundle"]
    command += ["-retrieve", f"{scratch}/[artifact]-[revision](-[classifier]).jar", "-cache", str(scratch / "cache")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise Transient(f"{coordinate} was not fetched within {_FETCH_SECONDS} s") from error
    if jar.is_file():
        return jar
    output = done.stdout + done.stderr
    if ": not found" in output and "Server access error" not in output and "Host " not in output:
        raise InvalidInput(f"no repository has a jar {coordinate}")
    raise Transient(f"{coordinate} could not be fetched:\n{output[-2000:]}")


if __name__ == "__main__":
    main(sys.argv[1:])
