"""Rule and wording of the search for orphans: files below a table's location that nothing refers to."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotEligible
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.removals import InventoryPlace, OrphanRule, OrphansLeft, RemovalPlan
from engine.domain.runs.run import Operation, RunFilter, RunState
from engine.domain.values.units import format_bytes, round_duration
from engine.formats.base import OpenTable, OrphanRemoval
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.services.catalogs.locations import LocationRules
from engine.services.catalogs.registered import read_registered
from engine.services.planning.wording import count_of
from engine.stores.unit_of_work import UnitOfWork

ORPHANS: Final = OPERATIONS[Operation.REMOVE_ORPHANS].setting
_MOST_LIVE: Final = 10_000
_LAST_RUNS: Final = 100
_LAST_SEARCHES: Final = 5
"""Runs among which the last search is: one that ended as its setting was off did not search."""


def orphan_removal_of(table: OpenTable) -> OrphanRemoval:
    """Return the removal of a table's orphans. Raises `NotEligible` if its format has none."""
    if table.orphan_removal is None:
        raise NotEligible("this version does not look for orphans in tables of this format")
    return table.orphan_removal


def orphan_rule(policy: EffectivePolicy) -> OrphanRule:
    """Return the rule of the policy, whose setting must not be off. No folder is permitted for an inventory yet."""
    value = policy.values[ORPHANS]
    location = value.get("inventory")
    inventory = None if location is None else InventoryPlace(location, ())
    return OrphanRule(
        timedelta(seconds=value["older_than"]), timedelta(seconds=value["quarantine"]), inventory=inventory
    )


async def complete_rule(
    unit: UnitOfWork, table_id: TableId, rule: OrphanRule, rules: LocationRules
) -> tuple[OrphanRule, tuple[str, ...]]:
    """Return the rule with the table's longest run and the folders of its inventory, and the ids of its live runs.

    The longest run is that of the last 100. An inventory may be below the table's registered location, or below an
    allowed location of its catalog.

    Raises:
        NotEligible: the inventory is in a place that the deployment or the catalog does not allow.
    """
    rule, live = await _with_runs(unit, table_id, rule)
    if rule.inventory is None:
        return rule, live
    table, catalog = await read_registered(unit, table_id, SYSTEM)
    location, folders = rule.inventory.location, (table.location, *catalog.allowed_locations)
    problem = rules.problem_of(location)
    if problem is None and not AllowedFolders(folders).contains(location):
        problem = (
            "it is neither below the table's location nor below an allowed location of its catalog; an admin can add "
            "its folder, with those of the catalog's tables, to allowed_locations"
        )
    if problem is not None:
        raise NotEligible(f"{ORPHANS}.inventory can't be read from {location}: {problem}")
    return replace(rule, inventory=InventoryPlace(location, folders)), live


async def _with_runs(unit: UnitOfWork, table_id: TableId, rule: OrphanRule) -> tuple[OrphanRule, tuple[str, ...]]:
    live = await unit.runs.list_live(table_id, _MOST_LIVE)
    now = await unit.now()
    ended = (await unit.runs.page(RunFilter(table_id=table_id), limit=_LAST_RUNS, documents=())).runs
    # A run that deletes keeps no file while it waits, for weeks if it needs an acknowledgement: it does not count.
    writing = [each for each in (*live, *ended) if OPERATIONS[each.operation].deletes is None]
    spent = [(each.finished_at or now) - each.started_at for each in writing if each.started_at is not None]
    return replace(rule, longest_run=max(spent, default=timedelta(0))), tuple(each.id for each in live)


async def orphans_left(unit: UnitOfWork, table_id: TableId) -> OrphansLeft | None:
    """Return what the last search of a table left, by its record; None if none of its last runs searched."""
    done, operations = frozenset({RunState.SUCCEEDED, RunState.SKIPPED}), frozenset({Operation.REMOVE_ORPHANS})
    wanted = RunFilter(table_id=table_id, states=done, operations=operations)
    for run in (await unit.runs.page(wanted, limit=_LAST_SEARCHES, documents=("plan", "result"))).runs:
        if look := run.plan.get("removal", {}).get("look"):
            left = look["unreferenced"]["bytes"] - run.result.document.get("deleted_bytes", 0)
            next_at = None if look["next_at"] is None else datetime.fromisoformat(look["next_at"])
            return OrphansLeft(max(0, left), next_at)
    return None


def search_words(rule: OrphanRule) -> str:
    """Return what a search for orphans does, as a clause."""
    age, quarantine = round_duration(rule.age.total_seconds()), round_duration(rule.quarantine.total_seconds())
    listed = "are listed" if rule.inventory is None else f"are read from the inventory {rule.inventory.location}"
    return (
        f"all files of the table {listed}; those older than {age} that nothing refers to are deleted once two "
        f"searches {quarantine} apart found them"
    )


def orphan_words(plan: RemovalPlan) -> str:
    """Return what a search found as a clause: the orphans, and when the next of them can be deleted."""
    look: Mapping[str, Any] = plan.details["look"]
    found, total, every = look["unreferenced"], plan.total, count_of(look["listed_files"], "file")
    if not found["files"]:
        return f"no orphan among {every}"
    words = f"{count_of(found['files'], 'orphan')} ({format_bytes(found['bytes'])}) among {every}; "
    words += (
        f"{total.files} ({format_bytes(total.bytes)}) can be deleted now" if total.files else "none can be deleted yet"
    )
    if more := look.get("left_for_later"):
        words += f"; left for later searches: {count_of(more, 'orphan')}"
    if look["next_at"] is not None:
        words += f", {'the next' if total.files else 'the first'} from {look['next_at']}"
    return words
