"""Files that nothing refers to, put into the location of a table: of every kind and age that a search has to judge."""

import os
import time
import uuid
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pyarrow as pa

from engine.formats.iceberg.catalog.paths import normalised
from engine.formats.removal.searches import Search

LONG_AGO = timedelta(days=60)
_RECORDS = "packhouse-deletions"
_LOOKS = f"{_RECORDS}/orphans/look-*.parquet"

GOES = (
    "data/00000-0-{}.parquet",
    "data/city=Aachen/00003-7-{}-00001.parquet",
    "data/city=b c/00000-1-{}.parquet",
    "data/1010/1000/0100/01101000-00000-1-{}.parquet",
    "data/ü/20261128_031500_00001_abcde-{}.orc",
    "data/run_0000000000000000000000gone-00001-1-{}.parquet",
    "metadata/{}-m0.avro",
    "metadata/snap-1-1-{}.avro",
    "metadata/{}.stats",
    "data/00000-1-{}-00001-deletes.parquet",
)
"""Names of files that a search deletes once they are old enough."""

HIDDEN = (
    "data/_x/{}.parquet",
    "data/.x/{}.parquet",
    "data/_{}.parquet",
    "data/.{}.parquet.crc",
    "_other/{}.json",
    "data/_p=1/{}.parquet",
)
"""Names that Iceberg's procedure and Packhouse take for those of other programs: no partition field is called `_p`."""

PROTECTED = (
    "metadata/00000-{}.metadata.json",
    "metadata/version-hint.text",
    "{}",
    "data/{}.parquet",
    "data/part-00000-{}-c000.snappy.parquet",
    "team/raw/{}.csv",
    "team/raw/00000-0-{}.parquet",
)
"""Names of metadata and of other writers' files, which the procedure deletes and Packhouse leaves alone."""


@dataclass(frozen=True, slots=True)
class Planted:
    """Files that were put into a table's location, normalised, by what happens to them.

    `goes`: both delete them. `stays`: both leave them alone. `protected`: only the procedure deletes them.
    """

    goes: AbstractSet[str]
    stays: AbstractSet[str]
    protected: AbstractSet[str]


def grow_old(folder: Path) -> None:
    """Make every file of a table old, without the records of Packhouse."""
    for path in folder.rglob("*"):
        if path.is_file() and _RECORDS not in str(path):
            set_age(path, LONG_AGO)


def set_age(path: Path, age: timedelta) -> None:
    """Make a file look as if it was written some time ago."""
    at = time.time() - age.total_seconds()
    os.utime(path, (at, at))


def plant(folder: Path, older_than: timedelta, random: Random) -> Planted:
    """Put orphans of most kinds into a table's folder, some older and some younger than the limit."""
    live = [path for path in folder.joinpath("data").rglob("*.parquet") if _RECORDS not in str(path)]
    alike = [path.with_name(f"00009-9-{uuid.uuid4()}.parquet") for path in random.sample(live, min(len(live), 2))]
    goes = [*alike, *(_place(folder, each) for each in GOES if random.random() < 0.8)]
    young = [_place(folder, each) for each in random.sample(GOES, 3)]
    hidden = [_place(folder, each) for each in HIDDEN if random.random() < 0.8]
    protected = [_place(folder, each) for each in PROTECTED if random.random() < 0.5]
    hour, old = timedelta(hours=1), (older_than + timedelta(hours=1), older_than + timedelta(days=3), LONG_AGO)
    for path in goes:
        _write(path, random.choice(live).read_bytes() if live and random.random() < 0.3 else b"orphan", random, old)
    for path in young:
        _write(path, b"young", random, (timedelta(0), hour, older_than - hour))
    for path in (*hidden, *protected):
        _write(path, b"of another program", random, old)
    return Planted(_paths(goes), _paths([*young, *hidden]), _paths(protected))


def add(folder: Path) -> str:
    """Put one more old orphan into a table's folder; return its path, normalised."""
    path = _place(folder, "data/00000-0-{}.parquet")
    _write(path, b"late", Random(0), (LONG_AGO,))
    return normalised(str(path))


def pass_quarantine(folder: Path, by: timedelta) -> None:
    """Make the stored look for orphans earlier, as if time had passed since."""
    _move_look(folder, by, ("since_us",))


def pass_time(folder: Path, by: timedelta) -> None:
    """Make all files of a table earlier, and the stored look for orphans if there is one."""
    for path in folder.rglob("*"):
        at = path.stat().st_mtime_ns - 1000 * (by // timedelta(microseconds=1))
        os.utime(path, ns=(at, at))
    if list(folder.rglob(_LOOKS)):
        _move_look(folder, by, ("since_us", "modified_us"))


def _move_look(folder: Path, by: timedelta, columns: tuple[str, ...]) -> None:
    (path,) = folder.rglob(_LOOKS)
    look, us = Search.read(path.read_bytes()), by // timedelta(microseconds=1)
    files = look.files
    for name in columns:
        at, moved = files.schema.get_field_index(name), [each - us for each in files[name].to_pylist()]
        files = files.set_column(at, files.schema.field(at), pa.array(moved, pa.int64()))
    path.write_bytes(replace(look, taken_us=look.taken_us - us, files=files).body())


def _place(folder: Path, name: str) -> Path:
    return folder / name.format(uuid.uuid4())


def _write(path: Path, body: bytes, random: Random, ages: tuple[timedelta, ...]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    set_age(path, random.choice(ages))


def _paths(paths: list[Path]) -> set[str]:
    return {normalised(str(each)) for each in paths}
