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


def test_a_jar_is_fetched_whole_and_alone(tmp_path: Path) -> None:
    """Needs the network."""
    jar = fetch(TINY, tmp_path)
    assert jar.read_bytes()[:2] == b"PK"
    assert list(tmp_path.iterdir()) == [jar]


def test_a_classifier_names_a_jar_beside_the_main_one(tmp_path: Path) -> None:
    """Needs the network."""
    jar = fetch("org.apache.iceberg:iceberg-open-api:1.11.0:test-fixtures", tmp_path)
    assert list(tmp_path.iterdir()) == [jar] == [tmp_path / "iceberg-open-api-1.11.0-test-fixtures.jar"]
    assert jar.read_bytes()[:2] == b"PK"


def test_jars_are_fetched_together_also_two_of_one_module(tmp_path: Path) -> None:
    """Needs the network."""
    wanted = [TINY, f"{TINY}:sources", "org.slf4j:slf4j-nop:2.0.17"]
    jars = fetch_all(wanted, tmp_path)
    assert [jar.name for jar in jars] == [
        "slf4j-simple-2.0.17.jar",
        "slf4j-simple-2.0.17-sources.jar",
        "slf4j-nop-2.0.17.jar",
    ]
    assert sorted(tmp_path.iterdir()) == sorted(jars)


def test_of_several_jars_the_one_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """Needs the network."""
    with pytest.raises(InvalidInput, match=r"no repository has a jar org\.slf4j:slf4j-nop:0\.0\.0"):
        fetch_all([TINY, "org.slf4j:slf4j-nop:0.0.0"], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_version_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """Needs the network."""
    with pytest.raises(InvalidInput, match=r"no repository has a jar org\.slf4j:slf4j-simple:0\.0\.0"):
        fetch("org.slf4j:slf4j-simple:0.0.0", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_unreachable_repository_is_not_taken_for_a_missing_jar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1")
    with pytest.raises(Transient, match="could not be fetched"):
        fetch(TINY, tmp_path)
