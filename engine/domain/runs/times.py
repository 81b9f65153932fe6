"""Time model of a rewrite: fixed costs, costs per file and byte, and the limits of rates.

    seconds = run + (groups * group + files * file + bytes * byte) / lanes

`run` is planning, commit and proof; `group` start and answer of a task; `file` opening and replacing an input; `byte`
reading, encoding and writing. Limits bound the rates of bytes and requests, so the part after `run` takes at least as
long as they require. Waiting times (a park, a pause, a task throttled by a limit) are in no cost.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from engine.domain.fleet.budgets import Budget
from engine.domain.ids import TableId


class RunKind(StrEnum):
    """The way of rewriting, as far as a plan knows it: what a byte costs depends on it."""

    PACK = "pack"  # the kernel, rows keep their order: pages are copied, or encoded again
    DECODE = "decode"  # the kernel, position deletes apply: rows are always encoded again
    SORT = "sort"
    ZORDER = "zorder"
    HILBERT = "hilbert"
    NATIVE = "native"  # the table format's own procedure


class EstimateSource(StrEnum):
    """The runs that an estimate of time rests on, the least specific first."""

    PRIOR = "prior"
    FLEET = "fleet"
    KIND = "kind"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class RunSize:
    """The amount of work: file groups, their input files and bytes, and the number of parallel tasks."""

    groups: int
    files: int
    bytes: int
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class RunTime:
    """Measurement of one attempt: its size, and its seconds without waiting. `machine`: where its tasks ran."""

    table_id: TableId
    machine: str
    kind: RunKind
    size: RunSize
    seconds: float


@dataclass(frozen=True, slots=True)
class RunCosts:
    """Seconds per run, file group, input file and input byte of one lane.

    `source`, `runs`: the most specific evidence that they were fitted to, and its number of attempts.
    """

    run_seconds: float
    group_seconds: float
    file_seconds: float
    byte_seconds: float
    source: EstimateSource = EstimateSource.PRIOR
    runs: int = 0

    def lane_seconds(self, size: RunSize) -> float:
        """Return the seconds that one lane needs for this amount of work."""
        return self.group_seconds * size.groups + self.file_seconds * size.files + self.byte_seconds * size.bytes

    def seconds(self, size: RunSize) -> float:
        """Return the seconds of a run of this size without limits."""
        return self.run_seconds + self.lane_seconds(size) / max(1, size.lanes)

    @property
    def uncertainty(self) -> float:
        """The factor by which a run may be faster than estimated; only measured runs make it small."""
        match self.source:
            case EstimateSource.TABLE:
                return 1.5 if self.runs >= _ENOUGH_OF_TABLE else 3.0
            case EstimateSource.KIND:
                return 3.0 if self.runs >= _ENOUGH_OF_KIND else 5.0
            case EstimateSource.FLEET:
                return 5.0
            case EstimateSource.PRIOR:
                return 10.0

    @property
    def evidence(self) -> str:
        """Text of the evidence, to end a sentence about an estimate."""
        runs = f"{self.runs} run{'' if self.runs == 1 else 's'}"
        match self.source:
            case EstimateSource.TABLE:
                return f"measured in {runs} of this table"
            case EstimateSource.KIND:
                return f"measured in {runs} of this kind on the same machine, none of this table"
            case EstimateSource.FLEET:
                return f"measured in {runs} of other kinds or machines, none of this table"
            case EstimateSource.PRIOR:
                return "assumed: no run has been measured yet"

    def document(self) -> Mapping[str, Any]:
        """Return it as JSON-ready values."""
        return asdict(self) | {"source": self.source.value, "evidence": self.evidence}


_ENOUGH_OF_TABLE: Final = 3
_ENOUGH_OF_KIND: Final = 5

# Assumed before the first run. One lane of the kernel re-encodes 30 MB/s of input and copies pages faster; ordering
# rows costs 2 to 3 times as much (docs/contributing/measurements.md); the native procedure was measured at 15 MB/s.
_BYTE_SECONDS: Final[Mapping[RunKind, float]] = {
    RunKind.PACK: 1 / 30e6,
    RunKind.DECODE: 1 / 25e6,
    RunKind.SORT: 1 / 12e6,
    RunKind.ZORDER: 1 / 12e6,
    RunKind.HILBERT: 1 / 12e6,
    RunKind.NATIVE: 1 / 15e6,
}


def assumed_costs(kind: RunKind) -> RunCosts:
    """Return the assumed costs of a kind of run, used before the first measurement."""
    is_native = kind is RunKind.NATIVE  # one Spark job with shuffles and one commit per group
    return RunCosts(
        run_seconds=1.0, group_seconds=1.5 if is_native else 0.15, file_seconds=0.005, byte_seconds=_BYTE_SECONDS[kind]
    )


ASSUMED: Final = assumed_costs(RunKind.PACK)


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    """The costs for the prediction of a plan, the lanes of its run, and its rate limits."""

    kind: RunKind = RunKind.PACK
    costs: RunCosts = ASSUMED
    lanes: int = 1
    limit: Budget = Budget()  # noqa: RUF009 - immutable

    def seconds(self, size: RunSize, *, moved_bytes: int, requests: int) -> float:
        """Return the seconds of a run of this size: its working time, or the least time under the limits if longer.

        Args:
            size: the run's amount of work.
            moved_bytes: bytes read and written.
            requests: requests to the storage.
        """
        rates = ((moved_bytes, self.limit.bytes_per_second), (requests, self.limit.requests_per_second))
        allowed = max((amount / rate for amount, rate in rates if rate), default=0.0)
        return self.costs.run_seconds + max(self.costs.lane_seconds(size) / max(1, size.lanes), allowed)

    def document(self) -> Mapping[str, Any]:
        """Return it as JSON-ready values."""
        return {
            "kind": self.kind.value,
            **self.costs.document(),
            "lanes": self.lanes,
            "limit_bytes_per_second": self.limit.bytes_per_second,
            "limit_requests_per_second": self.limit.requests_per_second,
        }
