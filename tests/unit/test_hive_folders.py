"""Folders of rewrites have short and distinct parts, whatever the values of a partition are."""

from pathlib import Path

import pytest

from engine.formats.hive.compaction.folders import LONGEST_PART, folder_of

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
