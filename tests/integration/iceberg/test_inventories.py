"""Searches for orphans that read an inventory: what is accepted, and that no fault of it deletes a live file."""

import gzip
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.errors import NotEligible, StateConflict
from engine.domain.runs.removals import InventoryPlace, OrphanRule
from tests.support.expired_files import Deletion, needed, stored
from tests.support.iceberg_tables import Lake, append_files
from tests.support.orphans import (
    LONG_AGO,
    RULE,
    UUID,
    RunSearch,
    deleted,
    named,
    orphan,
    pass_time,
    remove,
    root,
    search,
    table,
)

Row = tuple[str, Any, str]


def folder(lake: Lake) -> Path:
    made = lake.folder / "inventories"
    made.mkdir(exist_ok=True)
    return made


def rule(lake: Lake, name: str = "", folders: Sequence[str] | None = None) -> OrphanRule:
    permitted = (str(folder(lake)),) if folders is None else tuple(folders)
    return replace(RULE, inventory=InventoryPlace(f"{folder(lake)}/{name}", permitted))


def rows(lake: Lake, *, without: str = "never") -> list[Row]:
    """Return path, size and time of all files of the table, as an export would list them."""
    found = [each for each in sorted(root(lake).rglob("*")) if each.is_file() and without not in each.name]
    return [(str(each), each.stat().st_size, at(each.stat().st_mtime)) for each in found]


def at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def csv_of(listed: Sequence[Row]) -> bytes:
    return "".join(
        ",".join(f'"{each}"' for each in row) + "\n" for row in [("path", "size", "modified"), *listed]
    ).encode()


def write_csv(lake: Lake, listed: Sequence[Row], name: str = "all.csv") -> Path:
    path = folder(lake) / name
    path.write_bytes(gzip.compress(csv_of(listed)) if name.endswith(".gz") else csv_of(listed))
    return path


def write_parquet(path: Path, listed: Sequence[Row]) -> None:
    paths, sizes, times = (list(each) for each in zip(*listed, strict=True))
    moments = [datetime.fromisoformat(each) for each in times]
    pq.write_table(pa.table({"path": paths, "size": sizes, "modified": pa.array(moments, pa.timestamp("ms"))}), path)


def parts(lake: Lake, listed: Sequence[Row]) -> None:
    (folder(lake) / "run=1").mkdir()
    write_parquet(folder(lake) / "run=1" / "part-0.parquet", listed[::2])
    write_parquet(folder(lake) / "part-1.parquet", listed[1::2])
    (folder(lake) / "_SUCCESS").write_bytes(b"")
    (folder(lake) / ".part-1.parquet.crc").write_bytes(b"crc")


FORMS: Mapping[str, Callable[[Lake, Sequence[Row]], object]] = {
    "all.csv": write_csv,
    "all.csv.gz": lambda lake, listed: write_csv(lake, listed, "all.csv.gz"),
    "all.parquet": lambda lake, listed: write_parquet(folder(lake) / "all.parquet", listed),
    "": parts,
}


@pytest.mark.parametrize("name", FORMS)
def test_u12_l11_orphans_of_an_inventory_are_deleted_and_no_other_file(lake: Lake, name: str) -> None:
    table(lake)
    live = stored(lake.load())
    made = [orphan(lake, each) for each in (named("data/city=a b%20c"), named("data/ü"), named(number=1))]
    FORMS[name](lake, rows(lake))
    unlisted = orphan(lake, named(number=2))
    assert deleted(remove(lake, rule=rule(lake, name))) == len(made)
    assert stored(lake.load()) == live | {f"file:{unlisted}"}


def test_metadata_is_listed_whatever_the_inventory_has(lake: Lake) -> None:
    table(lake)
    write_csv(lake, rows(lake, without=".avro"))
    orphan(lake, f"metadata/{UUID}-m0.avro")
    assert deleted(remove(lake, rule=rule(lake, "all.csv"))) == 1
    assert needed(lake.load()) <= stored(lake.load())


@pytest.mark.parametrize("change", ["deleted", "larger", "written again", "same"])
def test_a_candidate_that_changed_since_the_inventory_stays(lake: Lake, change: str) -> None:
    table(lake)
    path = orphan(lake, named())
    write_csv(lake, rows(lake))
    search(lake).look(rule(lake, "all.csv"))
    pass_time(lake)
    if change == "deleted":
        path.unlink()
    elif change == "larger":
        path.write_bytes(b"larger than it was")
        os.utime(path, (LONG_AGO, LONG_AGO))
    elif change == "written again":
        os.utime(path, (LONG_AGO + 5, LONG_AGO + 5))
    files = search(lake)
    looked = files.look(rule(lake, "all.csv"))
    plan = looked.plan().document()
    assert plan["refused"]["counts"] == ({} if change == "same" else {"changed_since_inventory": 1})
    assert deleted(files.delete(Deletion(lake).removal())) == (1 if change == "same" else 0)
    assert path.exists() is (change in {"larger", "written again"})


def test_an_inventory_that_is_read_again_after_a_deletion_deletes_nothing_twice(lake: Lake) -> None:
    table(lake)
    orphan(lake, named())
    write_csv(lake, rows(lake))
    wanted = rule(lake, "all.csv")
    assert deleted(remove(lake, rule=wanted)) == 1
    again = search(lake)
    assert (again.look(wanted).due.rows, again.result.search.files.num_rows) == (0, 0)


def test_a_file_that_was_committed_after_the_inventory_stays(lake: Lake) -> None:
    table(lake)
    live = next(root(lake).rglob("*.parquet"))
    late = orphan(lake, named())
    late.write_bytes(live.read_bytes())
    os.utime(late, (LONG_AGO, LONG_AGO))
    write_csv(lake, rows(lake))
    search(lake).look(rule(lake, "all.csv"))
    pass_time(lake)
    with lake.load().transaction() as change:
        change.add_files([f"{lake.load().location()}/{named()}"])
    assert search(lake).look(rule(lake, "all.csv")).due.rows == 0


def look_at(lake: Lake, content: bytes, name: str = "all.csv") -> RunSearch:
    (folder(lake) / name).write_bytes(content)
    files = search(lake)
    files.look(rule(lake, name))
    return files


FAULTS: Mapping[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "empty": ("all.csv", lambda _: b"", "lacks columns"),
    "other columns": ("all.csv", lambda _: b"name,bytes\nx,1\n", "lacks columns"),
    "a column twice": ("all.csv", lambda _: b"path,path,size,modified,owner\n", "lacks columns"),
    "a line cut off": ("all.csv", lambda body: body[:-30], "damaged"),
    "a negative size": ("all.csv", lambda body: body.replace(b'"6"', b'"-6"'), "negative size"),
    "a size beyond 64 bits": ("all.csv", lambda body: body.replace(b'"6"', b'"99999999999999999999"'), "damaged"),
    "a size that is text": ("all.csv", lambda body: body.replace(b'"6"', b'"six"'), "damaged"),
    "a day of no calendar": ("all.csv", lambda body: body.replace(b"2020-09-13", b"2020-13-45"), "damaged"),
    "a year of no calendar": ("all.csv", lambda body: body.replace(b"2020-09-13", b"99999-09-13"), "damaged"),
    "before 1970": ("all.csv", lambda body: body.replace(b"2020-09-13", b"0001-09-13"), "before 1970"),
    "a long name": ("all.csv", lambda body: body.replace(b"/data/0", b"/data/" + 5000 * b"a"), "4096 bytes"),
    "gzip cut off": ("all.csv.gz", lambda body: gzip.compress(body)[:-9], "damaged"),
    "gzip damaged": ("all.csv.gz", lambda body: gzip.compress(body)[:30] + bytes(30), "damaged"),
    "no gzip": ("all.csv.gz", lambda body: body, "damaged"),
    "no Parquet": ("all.parquet", lambda body: body, "damaged"),
    "bytes that are no UTF-8": ("all.csv", lambda body: body.replace(b"/data/0", b"/data/\xff"), "damaged"),
    "keys that are not encoded": (
        "all.csv",
        lambda _: b"lake,t/100%.parquet,6,2020-09-13T00:00:00Z\n",
        "no file below",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_inventory_ends_the_search_with_its_name_and_reason(lake: Lake, fault: str) -> None:
    table(lake)
    path = orphan(lake, named())
    name, spoil, reason = FAULTS[fault]
    with pytest.raises(NotEligible, match=f"inventor.*{name}.*{reason}"):
        look_at(lake, spoil(csv_of(rows(lake))), name)
    assert path.exists()


def test_parquet_that_is_cut_off_or_has_other_types_is_refused(lake: Lake) -> None:
    table(lake)
    path = folder(lake) / "all.parquet"
    write_parquet(path, rows(lake))
    with pytest.raises(NotEligible, match="damaged"):
        look_at(lake, path.read_bytes()[:-20], "all.parquet")
    moment = pa.array([2**62], pa.timestamp("ms"))
    for columns, reason in (
        ({"path": ["x"], "size": [1.0], "modified": moment}, "not whole numbers"),
        ({"path": [f"{root(lake)}/x"], "size": [1], "modified": moment}, "damaged"),
        ({"path": ["x"], "size": [1], "modified": [1]}, "neither timestamps nor text"),
        ({"path": ["x"], "size": [1]}, "lacks columns"),
    ):
        pq.write_table(pa.table(columns), path)
        with pytest.raises(NotEligible, match=reason):
            search(lake).look(rule(lake, "all.parquet"))


@pytest.mark.parametrize("is_stored_as_dictionary", [False, True])
def test_a_long_name_of_many_rows_is_refused_before_it_fills_the_memory(
    lake: Lake, is_stored_as_dictionary: bool
) -> None:
    table(lake)
    many = 100_000
    names = pa.DictionaryArray.from_arrays(pa.array([0] * many, pa.int32()), pa.array(["x" * 100_000]))
    moments = pa.array([0] * many, pa.timestamp("ms"))
    path = folder(lake) / "all.parquet"
    columns = pa.table({"path": names, "size": [1] * many, "modified": moments})
    pq.write_table(columns, path, store_schema=is_stored_as_dictionary)  # 10 GB if all rows are decoded
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(NotEligible, match="4096 bytes"):
        search(lake).look(rule(lake, "all.parquet"))
    assert pa.default_memory_pool().max_memory() <= max(before, 2**28)


@pytest.mark.parametrize("name", ["missing.csv", "missing.parquet", "missing/manifest.json", "missing"])
def test_a_missing_inventory_is_named(lake: Lake, name: str) -> None:
    table(lake)
    with pytest.raises(NotEligible, match=f"inventor.*{name}"):
        search(lake).look(rule(lake, name))


def test_an_inventory_of_another_table_or_bucket_is_refused(lake: Lake) -> None:
    table(lake)
    lake.create("other")
    other = Path("/" + lake.load("other").location().removeprefix("file:").lstrip("/"))
    listed = [(str(each), 6, at(LONG_AGO)) for each in (other / "a.parquet", Path("/lake/b.parquet"))]
    write_csv(lake, [*listed, ("s3://lake/c", 1, at(LONG_AGO)), (f"{root(lake)}-2/d", 1, at(LONG_AGO))])
    with pytest.raises(NotEligible, match=r"no file below .*orders: name one of"):
        search(lake).look(rule(lake, "all.csv"))


@pytest.mark.parametrize("days", [29, 31])
def test_an_inventory_of_more_than_30_days_is_refused(lake: Lake, days: int) -> None:
    table(lake)
    path = write_csv(lake, rows(lake))
    then = path.stat().st_mtime - days * 86_400
    os.utime(path, (then, then))
    if days < 30:
        assert search(lake).look(rule(lake, "all.csv")).inventory_us == int(path.stat().st_mtime_ns // 1000)
        return
    with pytest.raises(NotEligible, match="more than 30 days ago"):
        search(lake).look(rule(lake, "all.csv"))


def test_an_inventory_from_later_than_now_is_refused(lake: Lake) -> None:
    table(lake)
    path = write_csv(lake, rows(lake))
    os.utime(path, (path.stat().st_mtime + 7200, path.stat().st_mtime + 7200))
    with pytest.raises(NotEligible, match="later than now"):
        search(lake).look(rule(lake, "all.csv"))


@pytest.mark.parametrize(("missing", "is_refused"), [(1, False), (3, True)])
def test_an_inventory_that_lacks_more_than_a_tenth_of_older_files_is_refused(
    lake: Lake, missing: int, is_refused: bool
) -> None:
    table(lake)
    append_files(lake.load(), 20)
    age_snapshots(lake)
    live = [each for each in rows(lake) if each[0].endswith(".parquet")]
    assert 20 <= len(live) < 30
    gone = {each[0] for each in live[:missing]}
    write_csv(lake, [each for each in rows(lake) if each[0] not in gone])
    if not is_refused:
        search(lake).look(rule(lake, "all.csv"))
        return
    with pytest.raises(StateConflict, match=f"{missing} of {len(live)} files that snapshots need"):
        search(lake).look(rule(lake, "all.csv"))


def test_files_of_snapshots_after_the_inventory_need_not_be_in_it(lake: Lake) -> None:
    table(lake)
    write_csv(lake, [each for each in rows(lake) if not each[0].endswith(".parquet")] + [(f"{root(lake)}/x", 1, "")])
    assert search(lake).look(rule(lake, "all.csv")).due.rows == 0


def test_rows_that_repeat_a_file_count_once_and_the_latest_holds(lake: Lake) -> None:
    table(lake)
    path = orphan(lake, named())
    repeated = [(str(path), 5, at(LONG_AGO - 99)), *rows(lake), (str(path), 6, at(LONG_AGO))]
    write_csv(lake, repeated)
    assert search(lake).look(rule(lake, "all.csv")).search.files.num_rows == 1
    assert deleted(remove(lake, rule=rule(lake, "all.csv"))) == 1


def test_rows_without_size_or_time_are_no_candidates(lake: Lake) -> None:
    table(lake)
    write_csv(lake, [(str(orphan(lake, named())), "", at(LONG_AGO)), (str(orphan(lake, named(number=1))), 6, "")])
    assert search(lake).look(rule(lake, "all.csv")).search.files.num_rows == 0


def test_rows_with_paths_that_leave_the_location_delete_nothing(lake: Lake) -> None:
    table(lake)
    live = stored(lake.load())
    victim = lake.folder / "victim.parquet"
    victim.write_bytes(b"orphan")
    os.utime(victim, (LONG_AGO, LONG_AGO))
    here = root(lake)
    up = os.path.relpath(victim, here)
    names = [f"{here}/{up}", f"file://{here}/{up}", f"{here}/x/%2e%2e/{victim.name}", f"{here}/./d", str(victim)]
    names += [f"s3://lake{here}/a", f"{here}//etc/passwd", f"{here}/data/", f"{here}/{next(here.rglob('*.parquet'))}?x"]
    write_csv(lake, [(name, 6, at(LONG_AGO)) for name in names])
    assert deleted(remove(lake, rule=rule(lake, "all.csv"))) == 0
    assert victim.exists()
    assert stored(lake.load()) == live


@pytest.mark.parametrize("permitted", [(), ("/elsewhere",), ("s3://lake/inventories",)])
def test_an_inventory_outside_of_the_permitted_folders_is_not_opened(lake: Lake, permitted: tuple[str, ...]) -> None:
    table(lake)
    write_csv(lake, rows(lake))
    with pytest.raises(NotEligible, match="allowed location"):
        search(lake).look(rule(lake, "all.csv", folders=permitted))
    with pytest.raises(NotEligible, match="allowed location"):
        search(lake).look(rule(lake, "../inventories/all.csv"))


def test_a_read_of_an_inventory_can_be_stopped(lake: Lake) -> None:
    table(lake)
    for name in FORMS:
        FORMS[name](lake, rows(lake))
        calls: list[int] = []

        def stop(requests: int, calls: list[int] = calls) -> None:
            calls.append(requests)
            if len(calls) == 3:  # the metadata was listed, and the inventory found
                raise InterruptedError("stopped")

        with pytest.raises(InterruptedError, match="stopped"):
            list(search(lake, rule(lake, name)).looking(stop))


def age_snapshots(lake: Lake, by: timedelta = timedelta(days=10)) -> None:
    """Make the snapshots of the table older, in the metadata file that the catalog names."""
    path = Path("/" + lake.load().metadata_location.removeprefix("file:").lstrip("/"))
    body = json.loads(path.read_text())
    ms = by // timedelta(milliseconds=1)
    body["last-updated-ms"] -= ms
    for each in (*body["snapshots"], *body["snapshot-log"], *body["metadata-log"]):
        each["timestamp-ms"] -= ms
    path.write_text(json.dumps(body))
    os.utime(path, (LONG_AGO, LONG_AGO))
