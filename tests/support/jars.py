"""Fetch every jar that tests start servers with, before the first test waits for it: `python -m tests.support.jars`."""

from collections.abc import Iterable, Iterator

from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, fetch_all
from tests.support import hdfs_server, iceberg_rest_server, nessie_server
from tests.support.hive.releases import RELEASES
from tests.support.paimon import core


def _rounds(coordinates: Iterable[str]) -> Iterator[list[str]]:
    """Yield coordinates so that no module has two versions at once: of these Ivy would fetch the latest one only."""
    rounds: list[dict[str, tuple[str, list[str]]]] = []
    for each in sorted(coordinates):
        group, artifact, version, *_ = each.split(":")
        module = f"{group}:{artifact}"
        fitting = (one for one in rounds if one.get(module, (version,))[0] == version)
        chosen = next(fitting, None)
        if chosen is None:
            rounds.append(chosen := {})
        chosen.setdefault(module, (version, []))[1].append(each)
    for one in rounds:
        yield [each for _, of_module in one.values() for each in of_module]


if __name__ == "__main__":
    hive = {each for release in RELEASES.values() for each in release.coordinates}
    others = {
        ICEBERG_RUNTIME,
        hdfs_server.minicluster(),
        *iceberg_rest_server.JARS,
        *core.JARS,
        *core.HIVE_JARS,
        nessie_server.NESSIE,
    }
    for coordinates in _rounds(hive | others):
        fetch_all(coordinates, CACHE_FOLDER)
