"""Histories for upkeep: snapshots of different ages, gaps, statistics files, retention of branches, missing metadata.

They are written into the metadata of a table of any format version, which no client writes completely.
"""

import time
import uuid
from pathlib import Path
from random import Random
from typing import Any

from pyiceberg.table import Table

from tests.support.iceberg_tables import edit_metadata

HOUR_MS = 3_600_000
_PROPERTIES = {
    "write.metadata.delete-after-commit.enabled": ("true", "false"),
    "write.metadata.previous-versions-max": ("1", "3"),
    "commit.manifest.min-count-to-merge": ("2", "100"),
    "commit.manifest.target-size-bytes": ("4000", "8388608"),
}


def local(uri: str) -> Path:
    """Return the file of a URI of the local file system."""
    return Path("/" + uri.removeprefix("file:").lstrip("/"))


def age(table: Table, random: Random) -> list[str]:
    """Make the snapshots of a table some hours old and its history irregular; return the changes in words."""
    told: list[str] = []

    def change(body: dict[str, Any]) -> None:
        _shift(body)
        _gap(body, random, told)
        _statistics(body, random, told)
        _retention(body, random, told)
        chosen = {name: random.choice(values) for name, values in _PROPERTIES.items() if random.random() < 0.2}
        body.setdefault("properties", {}).update(chosen)
        told.append(f"properties {chosen}")
        _lose_metadata(body, random, told)

    edit_metadata(table, change)
    return told


def _shift(body: dict[str, Any]) -> None:
    """Let one hour be between two snapshots, and one hour since the last."""
    now = int(time.time() * 1000)
    instants = {each["timestamp-ms"] for name in ("snapshots", "snapshot-log") for each in body.get(name, ())}
    hours = {at: now - hour * HOUR_MS for hour, at in enumerate(sorted(instants, reverse=True), 1)}
    for name in ("snapshots", "snapshot-log"):
        for each in body.get(name, ()):
            each["timestamp-ms"] = hours[each["timestamp-ms"]]


def _gap(body: dict[str, Any], random: Random, told: list[str]) -> None:
    """Remove some snapshots that no reference names, as an expiry by ids without its files does."""
    if random.random() > 0.3:
        return
    named = {each["snapshot-id"] for each in body.get("refs", {}).values()} | {body.get("current-snapshot-id")}
    free = [each["snapshot-id"] for each in body.get("snapshots", ()) if each["snapshot-id"] not in named]
    gone = set(random.sample(free, min(len(free), random.choice((1, 1, 2)))))
    log: list[dict[str, Any]] = []
    for each in body.get("snapshot-log", ()):  # history before a gap is not known, as Iceberg's own expiry has it
        log = [] if each["snapshot-id"] in gone else [*log, each]
    body["snapshots"] = [each for each in body["snapshots"] if each["snapshot-id"] not in gone]
    body["snapshot-log"] = log
    told.append(f"gaps at {sorted(gone)}")


def _statistics(body: dict[str, Any], random: Random, told: list[str]) -> None:
    """Give some snapshots a statistics file, of which two may share one."""
    if random.random() > 0.4:
        return
    shared = f"{body['location']}/metadata/shared-{uuid.uuid4()}.stats"
    for snapshot in body.get("snapshots", ()):
        if random.random() < 0.5:
            continue
        own = f"{body['location']}/metadata/{snapshot['snapshot-id']}-{uuid.uuid4()}.stats"
        path = shared if random.random() < 0.2 else own
        local(path).write_bytes(b"PFA1")
        made = {"snapshot-id": snapshot["snapshot-id"], "statistics-path": path, "file-size-in-bytes": 4}
        if random.random() < 0.5:
            body.setdefault("partition-statistics", []).append(made)
        else:
            details = {"file-footer-size-in-bytes": 4, "blob-metadata": []}
            body.setdefault("statistics", []).append(made | details)
    told.append("statistics files")


def _retention(body: dict[str, Any], random: Random, told: list[str]) -> None:
    for name, ref in body.get("refs", {}).items():
        if ref["type"] == "branch" and random.random() < 0.2:
            ref["min-snapshots-to-keep"] = random.choice((1, 2, 4))
            ref["max-snapshot-age-ms"] = random.choice((1, HOUR_MS * 5 // 2, HOUR_MS * 100))
            told.append(f"retention of {name}: {ref}")


def _lose_metadata(body: dict[str, Any], random: Random, told: list[str]) -> None:
    if random.random() < 0.2:
        for each in body.get("metadata-log", ()):
            if random.random() < 0.5:
                local(each["metadata-file"]).unlink(missing_ok=True)
        told.append("missing metadata files")
