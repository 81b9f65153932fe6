"""Folders of rewrites have short and distinct parts, whatever the values of a partition are."""

from pathlib import Path

import pytest

from engine.formats.hive.rewrite.folders import LONGEST_PART, folder_of, may_be_below

LONG = ("x" * 240, "日" * 60, "é" * 100, "%" * 80)


def test_a_short_value_is_the_name_of_its_folder() -> None:
    assert folder_of("s3://b/t", ["day", "a b"], ["2026-11-01", "x/y"], 3) == (
        "s3://b/t/_compacted/day=2026-11-01/a b=x%2Fy/compaction_id=3"
    )


@pytest.mark.parametrize("value", LONG)
def test_the_folder_of_a_long_value_can_be_created(value: str, tmp_path: Path) -> None:
    folder = Path(folder_of(str(tmp_path), ["k", "n"], [value, value], 1))
    folder.mkdir(parents=True)
    assert max(map(len, folder.parts[-3:])) == LONGEST_PART


@pytest.mark.parametrize("value", LONG)
def test_long_values_with_the_same_begin_have_different_folders(value: str) -> None:
    folders = {folder_of("s3://b/t", ["k"], [each], 1) for each in (value, f"{value}a", f"{value}b")}
    assert len(folders) == 3


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("s3://lake/other/day=1", False),
        ("s3a://lake/shop/events2", False),
        ("s3://lake/shop/events/day=1", True),
        ("s3://lake//shop/events/day=1", True),
        ("s3://lake/shop%2Fevents/day=1", True),
        ("s3://lake/shop", True),  # around it
        ("s3://lake/other/../shop/events", True),
        ("s3://alias/other", True),
        ("hdfs://lake/other", True),
        ("relative", True),
        ("", True),
    ],
)
def test_a_location_is_elsewhere_only_if_every_engine_reads_it_so(location: str, expected: bool) -> None:
    assert may_be_below(location, "s3://lake/shop/events") is expected


def test_a_link_to_a_folder_of_the_table_is_not_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "events/day=1").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "events/day=1")
    root = f"file:{tmp_path}/events"
    assert may_be_below(f"file://{tmp_path}/link", root)
    assert not may_be_below(f"{tmp_path}/other", root)
