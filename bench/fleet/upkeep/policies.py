"""Policies of the tables of a week: three combinations of upkeep, with quiet hours and urgency on some tables."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from bench.fleet.line import EPOCH
from bench.fleet.upkeep.patterns import DAY
from engine.domain.policies import (
    RECLAIM,
    EffectivePolicy,
    PolicyDocument,
    PolicyScope,
    PolicyScopeKind,
    StoredPolicy,
    Windows,
    effective_policy,
)
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from engine.services.planning.upkeep.histories import history_rule
from engine.services.planning.upkeep.operations import UPKEEP, is_on
from engine.services.runs.holds import HoldRules

QUIET: Final = [{"from": "09:00", "to": "17:00", "time_zone": "UTC"}]
QUIET_FROM: Final = 9.0
QUIET_HOURS: Final = 8.0
URGENT_AFTER: Final = timedelta(minutes=15)
EXPIRY: Final = {"older_than": "2d", "keep_last": 20, "interval": "1d", "delete_files": True}
ORPHANS: Final = {"older_than": "1d", "quarantine": "1d", "interval": "1d"}
LEAST_DELETES: Final = 10
DELETES: Final = {"interval": "1d", "at_least_files": LEAST_DELETES}
SWITCHED_ON: Final[tuple[dict[str, Any], ...]] = (
    {"expire_snapshots": EXPIRY, "remove_orphans": ORPHANS, "rewrite_deletes": DELETES},
    {
        "expire_snapshots": EXPIRY,
        "delete_old_compactions": {"grace": "12h"},
        "remove_orphans": {**ORPHANS, "interval": "12h"},
        "rewrite_deletes": {**DELETES, "interval": "6h"},
    },
    {"reclaim": {"retention": "1d", "interval": "6h"}, "remove_orphans": ORPHANS},
)
"""The rewrite of manifests is on by default."""
OFF: Final = {OPERATIONS[each].setting.partition(".")[2]: "off" for each in UPKEEP}


@dataclass(frozen=True, slots=True)
class TablePolicy:
    """The policy of some tables, as the product reads it.

    `rules`: the holds on rewrites; `upkeep_rules`: those on other operations. `stored`: as the coordinator finds it.
    """

    effective: EffectivePolicy
    windows: Windows
    rules: HoldRules
    upkeep_rules: HoldRules
    stored: StoredPolicy

    @property
    def quiet_hours(self) -> float:
        """The hours of a day in which no upkeep starts."""
        return QUIET_HOURS if self.effective.values["quiet_hours"] else 0.0

    def quiet_seconds(self, since: float, until: float) -> float:
        """Return the seconds of quiet hours between two instants."""
        if not self.effective.values["quiet_hours"]:
            return 0.0
        begins = (day * DAY + QUIET_FROM * 3600 for day in range(int(since // DAY), int(until // DAY) + 1))
        return sum(max(0.0, min(until, each + QUIET_HOURS * 3600) - max(since, each)) for each in begins)

    @property
    def is_urgent(self) -> bool:
        """Whether its rewrites become urgent."""
        return self.rules.urgent_after is not None

    @property
    def blocks_after(self) -> float | None:
        """The seconds after which a delete file blocks the end of history (`maintenance.reclaim`), None: never."""
        return float(self.effective.values[RECLAIM]["retention"]) if is_on(self.effective, Operation.RECLAIM) else None

    def interval_hours(self, operation: Operation) -> float:
        """Return the interval of an operation that is on."""
        return float(self.effective.values[OPERATIONS[operation].setting]["interval"]) / 3600

    def history(self) -> tuple[float, int]:
        """Return the hours for which a snapshot is kept at most until it is due for expiry, and `keep_last`."""
        operation = next(
            each for each in (Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM) if is_on(self.effective, each)
        )
        rule = history_rule(self.effective, operation)
        return rule.older_than.total_seconds() / 3600 + self.interval_hours(operation), rule.keep_last


def make_policy(number: int, *, upkeep: bool, quiet: bool, urgent: bool) -> TablePolicy:
    """Return the policy with a combination of upkeep, or without any."""
    schedule = {"min_interval": "10m"} | ({"urgent_after": f"{URGENT_AFTER.seconds}s"} if urgent else {})
    values: dict[str, Any] = {"schedule": schedule, "maintenance": SWITCHED_ON[number] if upkeep else OFF}
    document = PolicyDocument.model_validate(values | ({"quiet_hours": QUIET} if quiet else {}))
    policy = effective_policy(table_properties={}, own=document)
    stored = StoredPolicy(document, 1, EPOCH, "system", "fleet", PolicyScope(PolicyScopeKind.FLEET))
    rules, upkeep_rules = HoldRules.of(policy), HoldRules.of(policy, Operation.EXPIRE_SNAPSHOTS)
    return TablePolicy(policy, Windows.of(policy), rules, upkeep_rules, stored)
