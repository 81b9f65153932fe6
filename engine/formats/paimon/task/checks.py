"""Comparison of the rows of a compaction's inputs and outputs, before its commit; each is read once more for it.

Rows of a key table are compared by the rules of its merge engine (`merge_check`), those of an append table as the
kernel does it. Only Parquet or ORC files are compared, and no append table's rows that deletion vectors delete.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

import numpy as np
import pyarrow as pa

from engine.formats.paimon.task.contract import MergeRules
from engine.formats.paimon.task.key_rows import KeyRowReader, record_type
from engine.formats.paimon.task.merge_check import DEDUPLICATE, FIRST_ROW, Claims, Findings, SliceCheck
from engine.formats.paimon.task.orc_rows import ORC, OrcReader
from engine.formats.paimon.task.tables import Compacted, FileFacts
from engine.formats.paimon.task.times import PARQUET
from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import OUTSIDE_FILES, InputFault, OutputFault, Refused
from engine.rewriting.kernel.merging.record_slices import Records, Slices
from engine.rewriting.kernel.reading.column_numbers import read_numbers, read_schema
from engine.rewriting.kernel.reading.deletes import PositionDeletes
from engine.rewriting.kernel.reading.row_check import check_rows
from engine.rewriting.kernel.reading.row_hashes import RowDigest
from engine.rewriting.kernel.storage.transfer import Transfer

SLICE_ROWS: Final = 1_000_000
"""Rows of the inputs that are compared at a time, about 200 MB in memory."""

MOST_SLICES: Final = 128
"""Two temporary files are open for each. More rows than these slices hold are not compared."""

_OPEN_DELETES: Final = "deletions are not compared: nothing was written, and files of higher levels remain"
"""The output level is unknown: older rows can be in these files only if they are above it."""


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """The result of a comparison without a fault.

    `digest`: the `RowDigest` of the rows, empty if none were compared. `limit`: see `GroupResult.check_limit`.
    """

    digest: str
    limit: str
    bytes_read: int = 0
    seconds: float = 0.0


NOT_COMPARED: Final = ComparedRows("", "")
"""The result of a task that does not ask for a comparison."""


def compare_rows(rules: MergeRules, compacted: Compacted, transfer: Transfer) -> ComparedRows:
    """Compare the rows of the files that the core read and wrote.

    Raises:
        OutputFault: the outputs have other rows, or can't be read.
        InputFault: an input can't be read.
        Refused: a file is outside of the table.
        StorageFault: the storage did not answer.
        Stopped: the task was ordered to stop.
    """
    inputs, outputs = (tuple(map(_input, files)) for files in compacted.rewritten())
    if problem := _problem(rules, inputs, outputs):
        return ComparedRows("", problem)
    begun, before = transfer.now(), transfer.moved.bytes_read
    try:
        if rules.engine:
            comparison = _MergeComparison(rules, compacted, transfer, is_orc=ORC in _formats_of(*inputs))
            digest, limits = comparison.compare(inputs, outputs), [rules.limit, comparison.limit]
        else:
            digest, limits = _compare_appended(rules, inputs, outputs, transfer), [rules.limit]
    except Refused as refusal:
        if refusal.reason == OUTSIDE_FILES:
            raise
        return ComparedRows("", f"not compared: {refusal}")
    limit, read = "; ".join(filter(None, limits)), transfer.moved.bytes_read - before
    return ComparedRows(str(digest), limit, read, max(0.0, transfer.now() - begun))


def _problem(rules: MergeRules, inputs: Sequence[TaskInput], outputs: Sequence[TaskInput]) -> str | None:
    """Return why nothing can be compared, None if something can."""
    if not rules.schema:
        return f"not compared: {rules.limit}"
    if not inputs:
        return "not compared: files only moved to another level"
    formats = _formats_of(*inputs, *outputs)
    if formats not in ({PARQUET}, {ORC}):
        return f"not compared: files of format {', '.join(sorted(formats))[:100]}, only all {PARQUET} or all {ORC} are"
    if rules.engine and _most_rows(inputs, outputs) > (most := MOST_SLICES * SLICE_ROWS):
        return f"not compared: more than {most:,} rows"
    if not rules.engine and any(PurePosixPath(one.path).name in rules.vectors for one in inputs):
        return "not compared: rows of an append table that deletion vectors delete"
    return None


def _formats_of(*files: TaskInput) -> set[str]:
    return {PurePosixPath(one.path).suffix for one in files}


def _compare_appended(
    rules: MergeRules, inputs: Sequence[TaskInput], outputs: Sequence[TaskInput], transfer: Transfer
) -> RowDigest:
    deletes = PositionDeletes(positions=[np.empty(0, np.int64) for _ in inputs])
    target = read_schema(rules.schema)
    checked = check_rows(
        inputs=inputs,
        outputs=outputs,
        target=target,
        deletes=deletes,
        transfer=transfer,
        numbers=read_numbers(rules.schemas, target),
        reader=OrcReader(_schemas_of(rules)) if ORC in _formats_of(*inputs) else None,
    )
    return checked.digest


def _schemas_of(rules: MergeRules) -> dict[int, pa.Schema]:
    return {int(number): read_schema(each) for number, each in rules.schemas.items()}


class _MergeComparison:
    """The comparison of the rows of a key table.

    Args:
        rules: the rules of the table.
        compacted: the core's report of its files.
        transfer: paced access to them.
        is_orc: they are ORC files, otherwise Parquet.

    `limit`: what can't be compared of this compaction, empty if nothing.
    """

    def __init__(self, rules: MergeRules, compacted: Compacted, transfer: Transfer, *, is_orc: bool) -> None:
        self._rules, self._transfer = rules, transfer
        has_older = _has_older(rules, compacted)
        is_open = has_older and compacted.output_level is None
        needs_deletes = has_older and rules.engine == DEDUPLICATE and not rules.has_vectors
        self.limit = _OPEN_DELETES if is_open and needs_deletes else ""
        self._claims = Claims(
            engine=rules.engine,
            order_fields=len(rules.order),
            compares_values=rules.engine in (DEDUPLICATE, FIRST_ROW),
            ignores_deletes=rules.ignores_deletes,
            drops_deletes=is_open or not needs_deletes,
            meets_older=has_older and rules.looks_up and rules.engine != FIRST_ROW,
            may_lack_keys=rules.expires_rows or (has_older and rules.engine == FIRST_ROW),
        )
        self._reader = KeyRowReader(
            target=read_schema(rules.schema),
            schemas=_schemas_of(rules),
            keys=rules.keys,
            order=rules.order,
            is_descending=rules.is_descending,
            transfer=transfer,
            is_orc=is_orc,
        )

    def compare(self, inputs: Sequence[TaskInput], outputs: Sequence[TaskInput]) -> RowDigest:
        """Return the digest of the outputs' rows. Raises as `compare_rows`."""
        count = max(1, -(-_most_rows(inputs, outputs) // SLICE_ROWS))
        kind = record_type(self._rules.order)
        before, after = Slices(count=count, kind=kind), Slices(count=count, kind=kind)
        try:
            digest = RowDigest()
            try:
                for records in self._reader.records(outputs):
                    digest.add(records["row"])
                    after.add(records)
            except InputFault as fault:
                raise OutputFault(f"what was written can't be read back: {fault}") from fault
            vectors = frozenset(one.path for one in inputs if PurePosixPath(one.path).name in self._rules.vectors)
            for records in self._reader.records(inputs, with_vectors=vectors):
                before.add(records)
            self._judge(inputs, outputs, ((before.read(at), after.read(at)) for at in range(count)))
            return digest
        finally:
            before.close()
            after.close()

    def _judge(
        self,
        inputs: Sequence[TaskInput],
        outputs: Sequence[TaskInput],
        slices: Iterator[tuple[Records, Records]],
    ) -> None:
        found = Findings()
        for before, after in slices:
            self._transfer.bucket.check()
            found.add(SliceCheck(self._claims, before, after).findings())
        by_vector = sum(self._rules.vectors.get(PurePosixPath(one.path).name, 0) for one in inputs)
        if faults := "; ".join(found.faults(by_vector=by_vector)):
            names = ", ".join(one.path for one in outputs[:3]) or f"no file for {inputs[0].path}"
            raise OutputFault(f"{names}: Paimon's core merged rows wrongly ({self._rules.engine}): {faults}")


def _most_rows(inputs: Sequence[TaskInput], outputs: Sequence[TaskInput]) -> int:
    """Return the rows of the inputs or those of the outputs, whichever are more, by the metadata."""
    return max(sum(max(0, one.record_count) for one in files) for files in (inputs, outputs))


def _has_older(rules: MergeRules, compacted: Compacted) -> bool:
    """Return whether files with older rows of the merged keys can remain: those above the output level.

    The core merges all sorted runs up to the output level. A file of that level that it leaves alone has no key in
    common with the merged ones, `MergeTreeCompactTask.upgrade`; so it drops deletions, and looks up no row in it,
    `MergeTreeCompactManager.triggerCompaction` and `LookupLevels.lookup(key, outputLevel + 1)`. If nothing was written,
    the output level is at least that of each merged file.
    """
    merged = {PurePosixPath(one.path).name for one in compacted.before}
    level = compacted.output_level
    if level is None:
        level = max((one.level for one in compacted.before), default=0)
    return any(upper > level for name, upper in rules.upper_levels.items() if name not in merged)


def _input(file: FileFacts) -> TaskInput:
    return TaskInput(file.path, file.file_bytes, file.record_count, schema_id=file.schema_id)
