"""Which delete files apply to nothing, against the same rule said for one delete file and one data file."""

import random

import pyarrow as pa
import pytest

from engine.formats.iceberg.metadata.deletes import apply_to_nothing


@pytest.mark.parametrize("seed", range(20))
def test_the_rule_holds_for_random_tables(seed: int):
    """Against the same rule, said for one delete file and one data file; of new files it may keep what could go."""
    luck = random.Random(seed)
    data = [_row(luck, f"f{at}.parquet") for at in range(luck.choice([0, 1, 5, 60]))]
    new = [_row(luck, f"n{at}.parquet") for at in range(luck.choice([0, 1, 3]))]
    names = [*(row["path"] for row in data), "gone.parquet"]
    deletes = [_row(luck, f"d{at}", luck.choice([None, luck.choice(names)])) for at in range(40)]
    found = apply_to_nothing(_table(data), _table(deletes), new=_table(new)).tolist()
    needed = [any(_applies(delete, file) for file in data) for delete in deletes]
    needed_by_new = [any(_applies(delete, file) and _may_name(delete, file) for file in new) for delete in deletes]
    for is_nothing, *why in zip(found, needed, needed_by_new, strict=True):
        assert not (is_nothing and any(why)), "a delete file went that has an effect"
    if len(new) < 2:
        assert found == [not any(why) for why in zip(needed, needed_by_new, strict=True)]


def _row(luck: random.Random, path: str, target: str | None = None) -> dict[str, object]:
    number = luck.randrange(6)
    return {
        "path": path,
        "spec_id": luck.randrange(2),
        "partition": luck.choice(["{}", '{"a":1}', '{"a":2}', '{"a":null}']),
        "sequence_number": number,
        "file_sequence_number": luck.choice([None, number, number, number + luck.randrange(4)]),
        "target": target,
    }


def _table(rows: list[dict[str, object]]) -> pa.Table:
    types = {
        "path": pa.string(),
        "spec_id": pa.int32(),
        "partition": pa.dictionary(pa.int32(), pa.string()),
        "sequence_number": pa.int64(),
        "file_sequence_number": pa.int64(),
        "target": pa.string(),
    }
    return pa.table({name: pa.array([row[name] for row in rows], of) for name, of in types.items()})


def _applies(delete: dict, file: dict) -> bool:
    is_old_enough = delete["sequence_number"] >= file["sequence_number"]
    if delete["target"] is not None:
        return delete["target"] == file["path"] and is_old_enough
    return is_old_enough and (delete["spec_id"], delete["partition"]) == (file["spec_id"], file["partition"])


def _may_name(delete: dict, file: dict) -> bool:
    came, there = delete["file_sequence_number"], file["file_sequence_number"]
    return came is None or came >= (file["sequence_number"] if there is None else there)
