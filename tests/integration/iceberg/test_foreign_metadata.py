"""Whatever a table's metadata, manifest list or manifest holds: reading it raises errors of the domain only.

A table that can't be read is `TableUnreadable`, which is never tried again, and never `Transient`, which is. Each test
reads a sample of all mutations, a larger one in `make test-deep`; PACKHOUSE_FUZZ_MUTATIONS sets its size, up to all.
"""

import contextlib
import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog.testing

from engine.domain.errors import NotEligible, PackhouseError, Transient
from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.domain.tables.orders import RequestedOrder, WantedColumn
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergTable, ManifestCache
from engine.planning.measures.health import health
from tests.support.iceberg_tables import BY_CITY, RUN_ID, Lake, append_files
from tests.support.mutations import Mutation, of_list_or_manifest, of_metadata

BY_ID = RequestedOrder("sort", (WantedColumn("id"),))
EVERY_OLD = Expiry(ExpiryRule(timedelta(0), 1, deletes_files=True), datetime.now(UTC) + timedelta(days=1))
MUTATIONS = int(os.environ.get("PACKHOUSE_FUZZ_MUTATIONS", "500" if os.environ.get("PACKHOUSE_DEEP") else "40"))
LEAST_MUTATIONS = min(MUTATIONS * 4 // 5, 400)
LONGEST_MESSAGE = 1000


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with structlog.testing.capture_logs():
        yield


@pytest.fixture
def table(lake: Lake) -> Lake:
    append_files(lake.create(spec=BY_CITY, properties={"write.target-file-size-bytes": "1000000"}), 3)
    return lake


def local(path: str) -> Path:
    return Path(path.removeprefix("file://"))


def head(lake: Lake) -> Any:
    table = lake.load()
    snapshot = table.current_snapshot()
    assert snapshot is not None
    return table, snapshot


def read_everything(opened: IcebergTable) -> None:
    """Ask a table for all that requests and runs ask for."""
    opened.policy_properties()
    opened.describe()
    opened.snapshots(100)
    opened.partition_specs()
    opened.column_names()
    digest = opened.digest()
    opened.figures()
    opened.engines[Engine.ARROW].conditions(BY_ID)
    opened.commits.find(RUN_ID)
    health(digest, small_bytes=2**20, large_bytes=None, current_spec_id=0, small_row_group_bytes=None)
    with contextlib.suppress(NotEligible):
        opened.order_ranges(opened.resolve_order(BY_ID))
    if opened.head_snapshot_id is not None:
        opened.group_inputs(digest["path"].to_pylist())
        opened.commits.prove(opened.head_snapshot_id, ())


def forget(lake: Lake) -> None:
    """Drop all that is kept of files: real ones never change under their names."""
    lake.connection._cache = ManifestCache()
    lake.connection.close()


def raised_by(call: Callable[[], None]) -> BaseException | None:
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - also what Rust raises
        return error
    return None


def sample(mutations: Iterable[Mutation], size: int) -> list[Mutation]:
    found = list(mutations)
    return random.Random(14).sample(found, min(size, len(found)))


def outcomes(lake: Lake, place: Path, mutations: Iterable[Mutation]) -> Counter[str]:
    """Count what reading comes to, with each mutation in place of a file."""
    sound = place.read_bytes()
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    for label, body in mutations:
        place.write_bytes(body)
        forget(lake)
        error = raised_by(lambda: read_everything(lake.open()))
        counted[type(error).__name__] += 1
        if isinstance(error, Transient) or not isinstance(error, PackhouseError | None):
            wrong.append(f"{label}: {error!r}"[:300])
        elif error is not None and (len(error.message) > LONGEST_MESSAGE or not error.message.isprintable()):
            wrong.append(f"{label}: a message of {len(error.message)}: {error.message!r}"[:300])
    place.write_bytes(sound)
    forget(lake)
    assert not wrong, "\n".join([f"{len(wrong)} of {counted.total()}", *wrong])
    read_everything(lake.open())
    return counted


def test_no_metadata_raises_anything_but_the_tables_condition(table: Lake):
    place = local(table.load().metadata_location)
    counted = outcomes(table, place, sample(of_metadata(json.loads(place.read_text())), MUTATIONS))
    assert counted.total() >= LEAST_MUTATIONS
    assert counted["TableUnreadable"] > LEAST_MUTATIONS / 2, counted


def test_no_manifest_list_raises_anything_but_the_tables_condition(table: Lake):
    _, snapshot = head(table)
    place = local(snapshot.manifest_list)
    counted = outcomes(table, place, sample(of_list_or_manifest(place.read_bytes()), MUTATIONS // 2))
    assert counted.total() >= LEAST_MUTATIONS / 2
    assert counted["TableUnreadable"] > LEAST_MUTATIONS / 8, counted


def test_no_manifest_raises_anything_but_the_tables_condition(table: Lake):
    loaded, snapshot = head(table)
    place = local(snapshot.manifests(loaded.io)[0].manifest_path)
    counted = outcomes(table, place, sample(of_list_or_manifest(place.read_bytes()), MUTATIONS // 2))
    assert counted.total() >= LEAST_MUTATIONS / 2
    assert counted["TableUnreadable"] > LEAST_MUTATIONS / 8, counted


@pytest.mark.parametrize("which", ["manifest list", "manifest"])
def test_f51_an_expired_file_with_any_content_is_read_or_left_out_by_name(table: Lake, which: str) -> None:
    """No kept snapshot needs it; a fault of ours at it would be raised as such, and not be taken for damage."""
    loaded = table.load()
    loaded.overwrite(loaded.scan().to_arrow().slice(0, 1))
    first = table.load().snapshots()[0]
    path = first.manifest_list if which == "manifest list" else first.manifests(loaded.io)[0].manifest_path
    place, sound = local(path), local(path).read_bytes()
    left_out = Counter[str]()
    for label, body in sample(of_list_or_manifest(sound), MUTATIONS // 2):
        place.write_bytes(body)
        forget(table)
        opened = table.open()
        plan = opened.expired_removal.preview(tuple(opened.expiry.plan(EVERY_OLD).expired), ())
        for item in plan.details.get("left_out", {"items": ()})["items"]:
            assert item["name"], label
            if item["reason"] == "damaged":
                assert (item["name"], bool(item["detail"])) == (path, True), label
            left_out[item["reason"]] += 1
    assert left_out.keys() <= {"damaged", "missing", "outside"}, "a list can name any other manifest"
    assert left_out["damaged"] > MUTATIONS / 20
