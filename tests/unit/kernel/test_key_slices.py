"""Slices of records by key, in temporary files (`kernel.merging.record_slices`)."""

import numpy as np

from engine.formats.paimon.task.key_rows import record_type
from engine.rewriting.kernel.merging.record_slices import Records, Slices

COUNT = 128


def records(seed: int, rows: int = 20_000) -> Records:
    chance = np.random.default_rng(seed)
    made = np.zeros(rows, record_type(["at"]))
    made["key"] = chance.integers(0, 2**64, rows // 4, np.uint64)[chance.integers(0, rows // 4, rows)]
    made["row"] = np.arange(rows)
    made["number"] = seed
    return made


def test_the_records_of_a_key_are_in_one_slice_in_the_order_in_which_they_were_added() -> None:
    added = [records(seed) for seed in (1, 2, 1)]
    slices = Slices(count=COUNT, kind=added[0].dtype)
    try:
        for each in added:
            slices.add(each)
        read = [slices.read(at) for at in range(COUNT)]
    finally:
        slices.close()
    every = np.concatenate(added)
    assert sum(map(len, read)) == len(every)
    assert all(len(each) for each in read)
    of_key = {key: at for at, each in enumerate(read) for key in set(each["key"].tolist())}
    assert sum(len(set(each["key"].tolist())) for each in read) == len(of_key)
    places = np.array([of_key[key] for key in every["key"].tolist()])
    for at, each in enumerate(read):
        assert each.tobytes() == every[places == at].tobytes()


def test_no_records_are_added_to_no_slice() -> None:
    slices = Slices(count=3, kind=record_type([]))
    slices.add(np.zeros(0, record_type([])))
    assert [len(slices.read(at)) for at in range(3)] == [0, 0, 0]
    slices.close()
