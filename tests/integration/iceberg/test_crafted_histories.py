"""Histories that the owner of a table writes by hand: whatever they name, no operation deletes a file that is needed.

F30: files of another table, and files by which the table itself is found. F16: live files of the table.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from engine.domain.errors import PackhouseError
from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.iceberg.metadata.lineages import LINKS
from tests.support.expired_files import stored
from tests.support.iceberg_tables import (
    RUN_ID,
    Lake,
    PreparedLake,
    append_files,
    edit_metadata,
    ids_of,
    live_paths,
    nothing,
)

TOMORROW: Final = datetime.now(UTC) + timedelta(days=1)
EXPIRIES: Final = {
    "expiry and reclamation": Expiry(ExpiryRule(timedelta(0), 1, deletes_files=True), TOMORROW),
    "purge": Expiry(ExpiryRule(timedelta(0), 1, deletes_files=True, overrides=True), TOMORROW),
}


@dataclass(frozen=True)
class Facts:
    """Paths that a table can name, its own and those of another table.

    `needed`: what its newest snapshot needs, and the metadata file that it has before the change.
    """

    folder: str
    needed: set[str]
    live: str
    newest_list: str
    metadata: str
    others: tuple[str, str, str]

    @staticmethod
    def of(lake: Lake) -> "Facts":
        own, other = lake.load(), lake.load("other")
        head, its_head = (each.snapshots()[-1].manifest_list for each in (own, other))
        theirs = (live_paths(other)[0], its_head, other.metadata_location)
        files = {*live_paths(own), own.metadata_location, head}
        files |= {each.manifest_path for each in own.snapshots()[-1].manifests(own.io)}
        return Facts(
            own.location(),
            {normalised(each) for each in files},
            live_paths(own)[0],
            head,
            own.metadata_location,
            theirs,
        )


Craft = Callable[[Any, list[Any], Facts], None]
"""Changes a metadata document; its snapshots are given in the order of their commits, the first two may expire."""


def parent(of: int, to: int) -> Craft:
    def craft(_document: Any, snapshots: list[Any], _facts: Facts) -> None:
        snapshots[of]["parent-snapshot-id"] = snapshots[to]["snapshot-id"]

    return craft


def linked_in_a_circle(document: Any, snapshots: list[Any], _facts: Facts) -> None:
    one, two = (each["snapshot-id"] for each in snapshots[:2])
    document["properties"][LINKS] = f"{one}={two},{two}={one},{one}={one}"


def logged_in_a_circle(document: Any, snapshots: list[Any], _facts: Facts) -> None:
    ids = [each["snapshot-id"] for each in reversed(snapshots)]
    document["snapshot-log"] = [{"snapshot-id": each, "timestamp-ms": 1} for each in (*ids * 100, 7)]


def two_of_one_id(of: int, files_of: int) -> Craft:
    def craft(document: Any, snapshots: list[Any], _facts: Facts) -> None:
        document["snapshots"].insert(0, {**snapshots[files_of], "snapshot-id": snapshots[of]["snapshot-id"]})

    return craft


def listed_in(path: Callable[[Facts], str]) -> Craft:
    """Let the oldest snapshot have another manifest list."""

    def craft(_document: Any, snapshots: list[Any], facts: Facts) -> None:
        snapshots[0]["manifest-list"] = path(facts)

    return craft


def with_statistics(*paths: Callable[[Facts], str], field: str = "statistics") -> Craft:
    """Let the oldest snapshot have statistics at these paths."""

    def craft(document: Any, snapshots: list[Any], facts: Facts) -> None:
        sizes = {"file-size-in-bytes": 9, "file-footer-size-in-bytes": 5, "blob-metadata": []}
        owner = snapshots[0]["snapshot-id"]
        document[field] = [{"snapshot-id": owner, "statistics-path": path(facts), **sizes} for path in paths]

    return craft


def with_a_log_of_others(document: Any, _snapshots: list[Any], facts: Facts) -> None:
    named = {"delete-after-commit.enabled": "true", "previous-versions-max": "1"}
    document["properties"] |= {f"write.metadata.{name}": value for name, value in named.items()}
    files = (*facts.others, facts.live, facts.newest_list, hint(facts))
    document["metadata-log"] = [{"metadata-file": each, "timestamp-ms": 1} for each in files]


def claimed_to_be_a_rewrite(document: Any, snapshots: list[Any], _facts: Facts) -> None:
    document["refs"]["audit"] = {"snapshot-id": snapshots[0]["snapshot-id"], "type": "tag"}
    snapshots[1]["summary"] = {"operation": "replace", "packhouse.run-id": RUN_ID, "packhouse.groups": "0"}


def hint(facts: Facts) -> str:
    return f"{facts.folder}/metadata/version-hint.text"


HISTORIES: Final[Mapping[str, Craft]] = {
    "parents in a circle": parent(0, 2),
    "a snapshot that is its own parent": parent(2, 2),
    "links in a circle": linked_in_a_circle,
    "a log in a circle": logged_in_a_circle,
    "an expired id with the files of the head": two_of_one_id(0, 2),
    "the id of the head with expired files": two_of_one_id(2, 0),
    "the list of the head": listed_in(lambda facts: facts.newest_list),
    "the list of another table": listed_in(lambda facts: facts.others[1]),
    "a data file as a list": listed_in(lambda facts: facts.live),
    "a folder as a list": listed_in(lambda facts: f"{facts.folder}/metadata"),
    "no list": listed_in(lambda _facts: ""),
    "a live file as statistics": with_statistics(lambda facts: facts.live),
    "a live file as statistics of partitions": with_statistics(lambda facts: facts.live, field="partition-statistics"),
    "statistics of another table": with_statistics(*(lambda facts, at=at: facts.others[at] for at in range(3))),
    "the metadata as statistics": with_statistics(lambda facts: facts.metadata),
    "the hint of the version as statistics": with_statistics(hint),
    "other spellings of live files": with_statistics(
        lambda facts: facts.live.replace("/data/", "/data/../data/"),
        lambda facts: facts.live.replace("/data/", "/%64ata/"),
        lambda facts: f"{facts.live}/",
        lambda facts: f"{facts.folder}/data",
    ),
    "a log with files of others": with_a_log_of_others,
    "a snapshot that claims to be a rewrite": claimed_to_be_a_rewrite,
}


NOT_MERGED: Final = frozenset(
    {
        "the id of the head with expired files",  # it has one manifest
        "a live file as statistics of partitions",  # the metadata is refused
    }
)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedLake:
    def fill(lake: Lake) -> None:
        append_files(lake.create("other"), 1)
        append_files(lake.create(), 3)

    return PreparedLake.filled(tmp_path_factory.mktemp("crafted"), fill)


@pytest.fixture
def table(prepared: PreparedLake) -> Iterator[Lake]:
    with prepared.restored() as lake:
        yield lake


def craft(table: Lake, label: str, facts: Facts) -> None:
    """Change the metadata of a table, which has a hint of its version."""
    table.load().io.new_output(hint(facts)).create().close()

    def edit(document: Any) -> None:
        snapshots = sorted(document["snapshots"], key=lambda each: each["timestamp-ms"])
        HISTORIES[label](document, snapshots, facts)

    edit_metadata(table.load(), edit)


@pytest.mark.parametrize("label", HISTORIES)
@pytest.mark.parametrize("operation", EXPIRIES)
def test_f30_f16_a_crafted_history_deletes_no_file_that_is_needed(table: Lake, operation: str, label: str) -> None:
    facts, expiry = Facts.of(table), EXPIRIES[operation]
    craft(table, label, facts)
    own, others = table.load(), stored(table.load("other"))
    rows = ids_of(own)
    with suppress(PackhouseError):
        opened = table.open()
        proof = opened.expiry.expire(
            tuple(opened.expiry.plan(expiry).expired), expiry, before_try=nothing, deletes_for=RUN_ID
        )
        assert all(each.holds for each in proof)
        deletion = table.open().expired_removal.deletion(RUN_ID, ())
        deletion.record()
        while deletion.advance(lambda _requests: None, 60.0):
            pass
        assert all(each.holds for each in deletion.prove())
    assert stored(table.load("other")) == others
    assert own.io.new_input(hint(facts)).exists()
    assert facts.needed <= stored(own)
    assert ids_of(table.load()) == rows


@pytest.mark.parametrize("label", HISTORIES)
def test_f30_manifests_of_a_crafted_history_are_rewritten_with_the_same_rows(table: Lake, label: str) -> None:
    """F30: a rewrite of manifests, and what removes the files of attempts that came before."""
    facts = Facts.of(table)
    craft(table, label, facts)
    rows, files = ids_of(table.load()), stored(table.load())
    others = stored(table.load("other"))
    snapshot_id = None
    with suppress(PackhouseError):
        snapshot_id = table.open().manifest_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id
        if snapshot_id is not None:
            assert all(each.holds for each in table.open().manifest_rewrite.prove(snapshot_id).checks)
        table.open().manifest_rewrite.remove(RUN_ID, up_to_attempt=9)
    assert (snapshot_id is None) is (label in NOT_MERGED)
    assert ids_of(table.load()) == rows
    assert files <= stored(table.load())
    assert stored(table.load("other")) == others
