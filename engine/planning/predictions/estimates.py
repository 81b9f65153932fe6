"""Predictions of a rewrite: number and bytes of outputs, seconds, requests to the storage.

Outputs are counted from stored input bytes. Deleted rows are not subtracted: the digest has only an upper bound of
them, and a slightly small output is a lesser fault than one that is far too large. Predicted bytes do not include the
metadata of the input files (`planning.predictions.output_sizes`); the table's last runs correct both
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
_SINGLE_PUT_BYTES: Final = 16 * 2**20
"""Request sizes of the kernel: it reads small files whole, larger ones by tail and row group; it uploads in parts."""


def output_count(total_bytes: int, target_bytes: int) -> int:
    """Return the number of outputs for `total_bytes`: `max(1, floor(total / target + 1/3))`, as in the kernel.

    A single file is below 5/3 of the target, each of several has at least 5/6 of it: inside the 75 % to 180 % that
    planning skips by default, so that an output is not a candidate again, and no small remainder is left.
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
    """Return the sums of a plan and its predictions.

    Args:
        groups: the plan's file groups.
        live_share: for each group the least share of its bytes that remains after deletes, 0 to 1.
        time: costs and limits of the run.
        calibration: corrects number and sizes of outputs; at least one output per group is predicted.
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
    """Return the plan with some of its groups: predicted files and bytes in proportion, and the time for these."""
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
    """Return the predicted seconds of a run of these groups; 0 without groups."""
    if not groups:
        return 0.0
    size = RunSize(len(groups), files, read, lanes=min(time.lanes, len(groups)))
    requests = predicted_requests(groups, output_bytes=written)
    return round(time.seconds(size, moved_bytes=read + written, requests=requests), 3)


def predicted_requests(groups: Iterable[FileGroup], *, output_bytes: int) -> int:
    """Return the approximate number of object-store requests to read and write a rewrite's files.

    They are those of executors with `obstore` (`kernel.storage.stores.objects`); Arrow also asks for each file's size.
    If the number of row groups of an input is unknown, Parquet's usual 128 MiB per row group are assumed. A local file
    system needs fewer requests.
    """
    listed = list(groups)
    reads = sum(_reads(file) + len(file.deletes) for group in listed for file in group.inputs)
    outputs = sum(group.predicted_outputs for group in listed)
    return reads + outputs * _writes(output_bytes // max(1, outputs))


def _reads(file: InputFile) -> int:
    """Return the number of requests for one input: for all of it, or for its end and each row group."""
    if file.file_bytes <= _WHOLE_READ_BYTES:
        return 1
    return 1 + (file.row_groups or -(-file.file_bytes // _ROW_GROUP_BYTES))


def _writes(file_bytes: int) -> int:
    """Return the number of requests for one output: one, or two looks, a beginning, its parts and an end."""
    return 1 if file_bytes < _SINGLE_PUT_BYTES else 4 + -(-file_bytes // _PART_BYTES)
