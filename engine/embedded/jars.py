"""Download jars by Maven coordinate into a folder, using the Ivy in the pyspark wheel.

Command line: `python -m engine.embedded.jars [folder coordinate…]`; without arguments it downloads the jars that the
tests and benchmarks compare with to `.cache/jars`. Needs Java, a whole Spark (the extra `embedded`) and the network,
but only for jars that are missing.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from engine.domain.errors import InvalidInput, Transient
from engine.embedded.java import find_java, find_spark_home

ICEBERG_RUNTIME: Final = "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
PAIMON: Final = "org.apache.paimon:paimon-bundle:1.4.2"
PAIMON_S3: Final = "org.apache.paimon:paimon-s3:1.4.2"
SQLITE_JDBC: Final = "org.xerial:sqlite-jdbc:3.50.3.0"
POSTGRES_JDBC: Final = "org.postgresql:postgresql:42.7.7"
MYSQL_JDBC: Final = "com.mysql:mysql-connector-j:8.4.0"
CACHE_FOLDER: Final = Path(".cache/jars")
SHA256: Final[Mapping[str, str]] = {
    PAIMON: "85a1587409e6c044b46eb20370a46ecd288576b8bc7aadf6b0432a4f2370f5d1",
    PAIMON_S3: "dc701f0c5b2790680032ec8961dfbb857e968f9f023563a7077fffd0750d0a67",
}
"""Of the jars that workers send to Spark: another file under the name of one of them is not kept."""

_COORDINATE: Final = re.compile(r"^([\w.-]+):([\w.-]+):([\w.-]+)(?::([\w.-]+))?$")
_FETCH_SECONDS: Final = 600
_WANTED: Final = """\
<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="packhouse" module="jars"/>
  <dependencies>{}</dependencies>
</ivy-module>
"""
_DEPENDENCY: Final = (
    '<dependency org="{0}" name="{1}" rev="{2}" transitive="false" conf="default->master">{3}</dependency>'
)
_ARTIFACT: Final = '<artifact name="{0}" type="jar" ext="jar"{1}/>'


def fetch(coordinate: str, folder: Path) -> Path:
    """Return the path of `artifact-version.jar` in the folder; download it if it is missing. See `fetch_all`."""
    return fetch_all([coordinate], folder)[0]


def fetch_all(coordinates: Sequence[str], folder: Path) -> list[Path]:
    """Return the paths of jars in the folder, in order; download the missing ones at once, without dependencies.

    The optional fourth part of a coordinate is a classifier: `artifact-version-classifier.jar`. Safe when several
    processes fetch at once: each jar is created atomically.

    Raises:
        InvalidInput: not `group:artifact:version[:classifier]`, no repository has one of the jars, one is another file
            than the one whose digest is known, or Spark's client is installed alone.
        Transient: no Java, or no answer from the repository.
    """
    jars = {coordinate: path_of(coordinate, folder) for coordinate in coordinates}
    if missing := {coordinate: jar for coordinate, jar in jars.items() if not jar.is_file()}:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="fetch-", dir=folder.absolute()) as scratch:
            _retrieve(missing, Path(scratch))
    return list(jars.values())


def path_of(coordinate: str, folder: Path) -> Path:
    """Return the path that a jar has in the folder once it is fetched. Raises `InvalidInput` for no coordinate."""
    return folder / f"{'-'.join(filter(None, _parts(coordinate)[1:]))}.jar"


def _parts(coordinate: str) -> tuple[str, str, str, str]:
    """Return group, artifact, version and classifier, which may be empty."""
    match = _COORDINATE.match(coordinate)
    if match is None:
        raise InvalidInput(f"{coordinate!r} is not a Maven coordinate: write group:artifact:version")
    group, artifact, version, classifier = match.groups(default="")
    return group, artifact, version, classifier


def _module(coordinates: Iterable[str]) -> str:
    """Return an Ivy module description that depends on all of the jars, with one dependency for each module."""
    classifiers: dict[tuple[str, str, str], list[str]] = {}
    for coordinate in coordinates:
        group, artifact, version, classifier = _parts(coordinate)
        classifiers.setdefault((group, artifact, version), []).append(classifier)
    found = []
    for (group, artifact, version), of_module in classifiers.items():
        marks = [f' m:classifier="{each}"' if each else "" for each in of_module]
        artifacts = "".join(_ARTIFACT.format(artifact, mark) for mark in marks)
        found.append(_DEPENDENCY.format(group, artifact, version, artifacts))
    return _WANTED.format("".join(found))


def main(arguments: list[str]) -> None:
    """Fetch the given coordinates, by default the jars that tests need, and print their paths."""
    folder = Path(arguments[0]) if arguments else CACHE_FOLDER
    for jar in fetch_all(arguments[1:] or [ICEBERG_RUNTIME, SQLITE_JDBC], folder):
        print(jar)  # noqa: T201 - the command's output


def _retrieve(jars: Mapping[str, Path], scratch: Path) -> None:
    """Download jars, by coordinate, with Ivy to the empty folder `scratch`, then move each to its path."""
    ivy = next(iter(sorted((find_spark_home() / "jars").glob("ivy-*.jar"))), None)
    if ivy is None:
        raise Transient("the installed pyspark has no ivy-*.jar in its jars folder")
    (scratch / "ivy.xml").write_text(_module(jars))
    command = [str(find_java()), f"-Divy.default.ivy.user.dir={scratch / 'ivy'}", "-jar", str(ivy)]
    command += ["-ivy", str(scratch / "ivy.xml"), "-types", "jar", "bundle"]
    command += ["-retrieve", f"{scratch}/[artifact]-[revision](-[classifier]).jar", "-cache", str(scratch / "cache")]
    named = ", ".join(jars)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise Transient(f"{named}: not fetched within {_FETCH_SECONDS} s; check the network and try again") from error
    if all((scratch / jar.name).is_file() for jar in jars.values()):
        for coordinate, jar in jars.items():
            _check_digest(coordinate, scratch / jar.name)
        for jar in jars.values():
            (scratch / jar.name).replace(jar)
        return
    output = done.stdout + done.stderr
    absent = [each for each in jars if "{}#{};{}: not found".format(*_parts(each)) in output]
    if absent and "Server access error" not in output and "Host " not in output:
        raise InvalidInput(f"no repository has a jar {', '.join(absent)}")
    raise Transient(f"{named}: could not be fetched:\n{output[-2000:]}")


def _check_digest(coordinate: str, jar: Path) -> None:
    with jar.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256.get(coordinate, digest):
        raise InvalidInput(
            f"the repository's {coordinate} has the SHA-256 {digest}, and the published one {SHA256[coordinate]}: "
            "it was not kept; correct the mirror, or set the path of a jar that you trust"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
