"""The immutable result of planning on one base snapshot."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.times import TimeEstimate
from engine.domain.tables.orders import RowOrdering


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of one partition and one spec, rewritten together by one task.

    `partition` is canonical JSON (`{"day":"2026-11-01"}`, `{}` when unpartitioned), keys in spec order.
    `output_spec_id`: the spec whose partitions the outputs get; None: they stay in the group's partition.
    `level0_file_count`: files of level 0 of a key table's bucket; groups with more of them are rewritten first.
    """

    ordinal: int
    spec_id: int
    partition: str
    inputs: tuple[InputFile, ...]
    predicted_outputs: int
    output_spec_id: int | None = None
    level0_file_count: int = 0

    @property
    def place(self) -> Place:
        """Its partition."""
        return self.spec_id, self.partition

    @property
    def input_bytes(self) -> int:
        """Bytes of all inputs as stored."""
        return sum(file.file_bytes for file in self.inputs)

    @property
    def input_rows(self) -> int:
        """Rows of all inputs, before deletes."""
        return sum(file.record_count for file in self.inputs)


@dataclass(frozen=True, slots=True)
class SkippedPartition:
    """A partition that the plan skips, with the reason; `until`: when the reason ends on its own, None if unknown."""

    partition: str
    spec_id: int
    files: int
    bytes: int
    reason: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted results of a plan. `seconds`: working time, without waiting; see `domain.runs.times`."""

    input_files: int
    input_bytes: int
    input_rows: int
    output_files: int
    output_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Corrections of predicted output sizes, from earlier runs.

    `output_files`, `output_bytes`: factors, measured divided by predicted, of the table's last `runs` runs; the latter
    applies to the bytes of rows. `metadata_bytes`: footer, page headers and dictionaries of each file: inputs are
    counted without them, outputs with them.
    """

    runs: int = 0
    output_files: float = 1.0
    output_bytes: float = 1.0
    metadata_bytes: int = 0


UNCALIBRATED: Final = Calibration()
NO_ESTIMATE: Final = TimeEstimate()


@dataclass(frozen=True, slots=True)
class Later:
    """Work that a plan leaves to the next plan of the same run: partitions, and the candidate files in them."""

    partitions: int = 0
    files: int = 0
    bytes: int = 0


NOTHING_LATER: Final = Later()


@dataclass(frozen=True, slots=True)
class Plan:
    """File groups on one base snapshot, the skipped partitions, and the predictions with their estimates.

    `shrunk_partitions`: number of its partitions with smaller groups than the policy requests, after lost races.
    `later`: work that the run plans after this plan; not part of the prediction. `order`: the order of the rows.
    `unordered_files`: files of the requested partitions that are not in it, None without an order; `reordered_files`:
    files in groups that are candidates only because of that.
    """

    base_snapshot_id: int | None
    schema_id: int
    groups: tuple[FileGroup, ...]
    skipped: tuple[SkippedPartition, ...]
    skipped_total: int
    prediction: Prediction
    shrunk_partitions: int = 0
    calibration: Calibration = UNCALIBRATED
    time: TimeEstimate = NO_ESTIMATE
    later: Later = NOTHING_LATER
    order: RowOrdering | None = None
    unordered_files: int | None = None
    reordered_files: int = 0

    @property
    def moved_files(self) -> int:
        """Number of files in groups whose rows move to the partitions of another spec."""
        return sum(len(group.inputs) for group in self.groups if group.output_spec_id is not None)

    def digest(self) -> str:
        """Return a SHA-256 over base, schema and the exact inputs of every group."""
        body = json.dumps(
            [self.base_snapshot_id, self.schema_id, [[f.path for f in g.inputs] for g in self.groups]],
            separators=(",", ":"),
        )
        return hashlib.sha256(body.encode()).hexdigest()

    def summary(self) -> Mapping[str, Any]:
        """Return the plan without its file lists, as JSON-ready values."""
        return {
            "base_snapshot_id": self.base_snapshot_id,
            "schema_id": self.schema_id,
            "groups": len(self.groups),
            "skipped_partitions": self.skipped_total,
            "shrunk_partitions": self.shrunk_partitions,
            "prediction": asdict(self.prediction),
            "calibration": asdict(self.calibration),
            "time_estimate": self.time.document(),
            "later": asdict(self.later),
            "order": None if self.order is None else self.order.document(),
            "unordered_files": self.unordered_files,
            "reordered_files": self.reordered_files,
            "moved_files": self.moved_files,
            "hash": self.digest(),
        }
