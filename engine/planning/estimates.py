"""What a rewrite is expected to come to: number and bytes of outputs, seconds, requests to the storage.

Outputs are counted from stored input bytes. Deleted rows are not taken off: the digest knows only an upper bound of
them, and an output that is a little small is a lesser fault than one that is far too large. What the last runs of the
table came to corrects all of it (`planning.experience`).
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.domain.files import InputFile
from engine.domain.plans import UNCALIBRATED, Calibration, FileGroup, Prediction
from engine.domain.policies import EffectivePolicy

Ints = npt.NDArray[np.int64]

RUN_SECONDS: Final = 0.3
FILE_SECONDS: Final = 0.003
"""What a run takes besides moving bytes: to begin, commit and prove; and for each file that it opens and replaces. As
measured by `bench.estimates`; without them the rate of a small run says nothing about a large one."""

_WHOLE_READ_BYTES: Final = 8 * 2**20
_ROW_GROUP_BYTES: Final = 128 * 2**20
_PART_BYTES: Final = 10 * 2**20
"""How the kernel reads (a small file whole, of a larger one the tail and each row group) and uploads (in parts)."""


def output_count(total_bytes: int, target_bytes: int) -> int:
    """Return into how many files `total_bytes` are written: `max(1, floor(total / target + 1/3))`, as the kernel does.

    One file is below 5/3 of the target, of several each has at least 5/6 of it: inside the 75 % to 180 % that planning
    leaves alone by default, so that an output is no candidate again, and no sliver is left over.
    """
    return max(1, (3 * total_bytes + target_bytes) // (3 * target_bytes))


def output_counts(total_bytes: Ints, target_bytes: int) -> Ints:
    """Return `output_count` for an array of totals."""
    counts: Ints = np.maximum(1, (3 * total_bytes + target_bytes) // (3 * target_bytes))
    return counts


def fixed_seconds(input_files: int) -> float:
    """Return the seconds of a run that do not depend on how many bytes it moves."""
    return RUN_SECONDS + FILE_SECONDS * input_files


def predict(
    groups: Iterable[FileGroup],
    *,
    live_share: Iterable[float],
    policy: EffectivePolicy,
    rate: float | None,
    calibration: Calibration = UNCALIBRATED,
) -> Prediction:
    """Return the sums of a plan and what is expected of it.

    Args:
        groups: the plan's file groups.
        live_share: for each group the least share of its bytes that outlives the deletes, 0 to 1.
        policy: its bandwidth, bytes read + written per second, makes the prediction longer.
        rate: measured input bytes per second of this table's rewrites while they move bytes, all tasks together; None:
            no prediction of time.
        calibration: what outputs and time are multiplied by; never less than an output for each group.
    """
    listed = list(groups)
    read = sum(group.input_bytes for group in listed)
    files = sum(len(group.inputs) for group in listed)
    live = sum(g.input_bytes * share for g, share in zip(listed, live_share, strict=True))
    written = round(live * calibration.output_bytes)
    outputs = round(sum(group.predicted_outputs for group in listed) * calibration.output_files)
    return Prediction(
        input_files=files,
        input_bytes=read,
        input_rows=sum(group.input_rows for group in listed),
        output_files=max(len(listed), outputs),
        output_bytes=written,
        seconds=_seconds(read, written, policy, rate, fixed=fixed_seconds(files), factor=calibration.seconds),
    )


def predicted_requests(groups: Iterable[FileGroup], *, output_bytes: int) -> int:
    """Return about how many requests a rewrite makes to an object store: to open, read, write and look up its files.

    Where a table does not say how many row groups an input has, they are taken to be of Parquet's usual 128 MiB. A
    local file system asks for fewer.
    """
    listed = list(groups)
    reads = sum(_reads(file) + 2 * len(file.deletes) for group in listed for file in group.inputs)
    outputs = sum(group.predicted_outputs for group in listed)
    return reads + 3 * outputs + -(-output_bytes // _PART_BYTES)


def _reads(file: InputFile) -> int:
    """Return the requests for one input: to open it, then for its bytes."""
    if file.file_bytes <= _WHOLE_READ_BYTES:
        return 2
    return 2 + (file.row_groups or -(-file.file_bytes // _ROW_GROUP_BYTES))


def _seconds(
    read: int, written: int, policy: EffectivePolicy, rate: float | None, *, fixed: float, factor: float
) -> float | None:
    if rate is None or rate <= 0:
        return None
    allowed = policy.budget().bytes_per_second
    return fixed + max(factor * read / rate, 0.0 if allowed is None else (read + written) / allowed)
