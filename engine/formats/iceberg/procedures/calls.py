"""Options of Iceberg's `rewrite_data_files` for a plan's limits, and the meaning of its failures."""

from collections.abc import Mapping
from typing import Final

from engine.domain.policies import Strategy
from engine.domain.runs.procedures import OptionValue
from engine.formats.base import NativeEngine, ProcedureSettings
from engine.planning.plans.groupings import WholeUnits
from engine.planning.plans.rewrite_limits import RewriteLimits

PROCEDURE: Final = NativeEngine(
    "the table format's own procedure",
    WholeUnits(),
    frozenset({Strategy.BINPACK}),
    is_paced=False,
    by_property={"rewrite.compression": "write.parquet.compression-codec"},
    at_once=1,
)
"""The procedure as an engine: it divides each partition into its own groups."""

_CONFLICTS: Final = ("ValidationException", "CommitFailedException")
_MOST_BYTES: Final = 2**63 - 1


def call_options(limits: RewriteLimits, settings: ProcedureSettings) -> Mapping[str, OptionValue]:
    """Return the options of the procedure that correspond to the plan's limits."""
    return {
        "target-file-size-bytes": limits.target_bytes,
        "min-file-size-bytes": limits.small_bytes,
        "max-file-size-bytes": limits.large_bytes or _MOST_BYTES,
        "min-input-files": limits.min_input_files,
        "max-file-group-size-bytes": limits.group_bytes,
        "max-concurrent-file-group-rewrites": settings.tasks,
        "delete-file-threshold": max(1, limits.delete_files),
        "delete-ratio-threshold": limits.delete_ratio,
        "rewrite-all": settings.full,
        "partial-progress.enabled": False,  # it reports success despite failures, and goes on after an interrupt
        "use-starting-sequence-number": True,  # without it a delete committed during the rewrite would be lost
    }


def is_conflict(failure: str) -> bool:
    """Return whether the text of a failure names an exception of Iceberg for a commit that lost to another."""
    return any(name in failure for name in _CONFLICTS)
