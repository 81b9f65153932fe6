"""Fetching jars by coordinate. Tests marked so need the network, as `make jars` does."""

from pathlib import Path

import pytest

from engine.domain.errors import InvalidInput, Transient
from engine.embedded.jars import fetch, fetch_all

TINY = "org.slf4j:slf4j-simple:2.0.17"


def test_a_jar_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    jar = tmp_path / "slf4j-simple-2.0.17.jar"
    jar.write_bytes(b"as it was")
    assert fetch(TINY, tmp_path) == jar
    assert jar.read_bytes() == b"as it was"


def test_a_text_that_is_no_coordinate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="group:artifact:version"):
        fetch("slf4j-simple", tmp_path)


def test_jars_are_fetched_whole_and_together_also_two_of_one_module_and_one_by_its_classifier_alone(
    tmp_path: Path,
) -> None:
    """Needs the network."""
    jars = fetch_all([TINY, f"{TINY}:sources", "org.slf4j:slf4j-nop:2.0.17:sources"], tmp_path)
    assert [jar.name for jar in jars] == [
        "slf4j-simple-2.0.17.jar",
        "slf4j-simple-2.0.17-sources.jar",
        "slf4j-nop-2.0.17-sources.jar",
    ]
    assert sorted(tmp_path.iterdir()) == sorted(jars)
    assert {jar.read_bytes()[:2] for jar in jars} == {b"PK"}


@pytest.mark.parametrize("others", [[TINY], pytest.param([], marks=pytest.mark.deep)], ids=["of several", "alone"])
def test_a_jar_that_does_not_exist_is_named(tmp_path: Path, others: list[str]) -> None:
    """Needs the network."""
    with pytest.raises(InvalidInput, match=r"no repository has a jar org\.slf4j:slf4j-nop:0\.0\.0"):
        fetch_all([*others, "org.slf4j:slf4j-nop:0.0.0"], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_repository_is_not_taken_for_a_missing_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1")
    with pytest.raises(Transient, match="could not be fetched"):
        fetch(TINY, tmp_path)
