"""What is expected of a rewrite: number and bytes of outputs, seconds, requests to the storage.

Outputs are counted from stored input bytes. Deleted rows are not taken off: the digest knows only an upper bound of
them, and an output that is a little small is a lesser fault than one that is far too large. Predicted bytes leave out
the metadata of the input files (`planning.predictions.output_sizes`); the table's last runs correct both
(`planning.predictions.run_statistics`). Time is explained in `domain.runs.times`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.domain.runs.files import InputFile
from engine.domain.runs.plans import UNCALIBRATED, Calibration, FileGroup, Plan, Prediction
from engine.domain.runs.times import RunSize, TimeEstimate

Ints = npt.NDArray[np.int64]

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


def predict(
    groups: Sequence[FileGroup],
    *,
    live_share: Sequence[float],
    time: TimeEstimate,
    calibration: Calibration = UNCALIBRATED,
) -> Prediction:
    """Return the sums of a plan and what is expected of it.

    Args:
        groups: the plan's file groups.
        live_share: for each group the least share of its bytes that outlives the deletes, 0 to 1.
        time: costs and limits of the run.
        calibration: corrects sizes of outputs; there is never less than one for each group.
    """
    read = sum(group.input_bytes for group in groups)
    files = sum(len(group.inputs) for group in groups)
    outputs = max(len(groups), round(sum(group.predicted_outputs for group in groups) * calibration.output_files))
    live = sum(
        max(0, group.input_bytes - len(group.inputs) * calibration.metadata_bytes) * share
        for group, share in zip(groups, live_share, strict=True)
    )
    written = round(live * calibration.output_bytes) + outputs * calibration.metadata_bytes
    return Prediction(
        input_files=files,
        input_bytes=read,
        input_rows=sum(group.input_rows for group in groups),
        output_files=outputs,
        output_bytes=written,
        seconds=_seconds(groups, time, files, read, written),
    )


def narrowed(plan: Plan, groups: Sequence[FileGroup]) -> Plan:
    """Return the plan with some of its groups: files and bytes written in proportion, and the time that these take."""
    whole, read = plan.prediction, sum(group.input_bytes for group in groups)
    files = sum(len(group.inputs) for group in groups)
    part = read / whole.input_bytes if whole.input_bytes else 0.0
    for_each = whole.output_files / max(1, sum(group.predicted_outputs for group in plan.groups))
    written = round(whole.output_bytes * part)
    prediction = Prediction(
        input_files=files,
        input_bytes=read,
        input_rows=sum(group.input_rows for group in groups),
        output_files=max(len(groups), round(sum(group.predicted_outputs for group in groups) * for_each)),
        output_bytes=written,
        seconds=_seconds(groups, plan.time, files, read, written),
    )
    return replace(plan, groups=tuple(groups), prediction=prediction)


def _seconds(groups: Sequence[FileGroup], time: TimeEstimate, files: int, read: int, written: int) -> float:
    """Return the seconds of a run of these groups; 0 for none."""
    if not groups:
        return 0.0
    size = RunSize(len(groups), files, read, lanes=min(time.lanes, len(groups)))
    requests = predicted_requests(groups, output_bytes=written)
    return round(time.seconds(size, moved_bytes=read + written, requests=requests), 3)


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
