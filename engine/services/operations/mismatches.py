"""Answer to a run's snapshot that failed its proof (F5 in docs/contributing/register.md): roll back, or freeze.

The failed proof is recorded before anything is done, so that another attempt can continue when this one dies. If no
writer committed since, `main` is rolled back to the parent and the run fails: the table is unchanged. Otherwise a roll
back would remove commits of other writers too, which only a human may decide: the table is frozen, with a message that
names the snapshots to inspect.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Fatal, OutcomeUnknown, PackhouseError, Transient
from engine.domain.runs.drops import DropReason
from engine.domain.runs.run import GroupState, Operation
from engine.formats.base import RollBack
from engine.metrics import FROZEN, ROLLED_BACK
from engine.services.operations.attempt_tools import AttemptTools
from engine.services.tables.freezes import freeze_document

_log = structlog.get_logger(__name__)

_WAITS: Final = (0.5, 1.0, 2.0, 4.0, 0.0)
_WHY: Final = {
    RollBack.FOLLOWED: "others committed after it, or the catalog refused to go back",
    RollBack.NO_PARENT: "the snapshot before it has expired",
    RollBack.NOT_POSSIBLE: "tables of this format can't go back to an earlier snapshot",
    None: "the catalog does not answer",
}


class Mismatches:
    """Answers failed proofs of one attempt."""

    def __init__(self, tools: AttemptTools) -> None:
        self._database, self._formats, self._clock = tools.database, tools.formats, tools.clock
        self._attempt, self._open_table, self._step = tools.attempt, tools.open_table, tools.step

    async def answer(self, proof: Mapping[str, Any]) -> NoReturn:
        """Roll back or freeze, record which, and end the run; `proof` is the failed one, with its `groups`.

        Skips what an earlier attempt has done.

        Raises:
            Fatal: always, except when the lease is lost; its text has the state of the table.
            LeaseLost: another holder advances the run.
        """
        await self._attempt.check()
        async with self._database.read() as unit:
            written = await unit.groups.list(
                self._attempt.run.id, states=frozenset({GroupState.WRITTEN}), limit=len(proof["groups"]) + 1_000_000
            )
        snapshot_id = int(proof["snapshot_id"])
        claimed = frozenset(proof["groups"])
        ordinals = sorted({group.ordinal for group in written} & claimed)
        has_groups = self._attempt.run.operation is Operation.REWRITE
        if not (ordinals if has_groups else self._attempt.run.unsettled & claimed):
            raise Fatal(f"snapshot {snapshot_id} failed its proof; the run's events show what was done about it")
        outcome = await self._roll_back(snapshot_id)
        self._step("rolled_back" if outcome is RollBack.DONE else "not_rolled_back")
        if outcome is RollBack.DONE:
            await self._record_roll_back(snapshot_id, ordinals, claimed)
            raise Fatal(f"snapshot {snapshot_id} did not match the plan ({_failed(proof)}); it was rolled back")
        await self._freeze(snapshot_id, ordinals, claimed, f"{_failed(proof)}; {_WHY[outcome]}")

    async def _roll_back(self, snapshot_id: int) -> RollBack | None:
        """Roll back and return the result; None when it is unknown, which is safe because a freeze follows."""
        for wait in _WAITS:
            try:
                table = await self._open_table()
                return await self._formats.write(table.ref, table.commits.undo, snapshot_id)
            except (OutcomeUnknown, Transient) as error:
                _log.warning("roll_back_unknown", snapshot_id=snapshot_id, error=error.message)
                await self._clock.sleep(wait)
        return None

    async def _record_roll_back(self, snapshot_id: int, ordinals: Sequence[int], claimed: Iterable[int]) -> None:
        details = {"snapshot_id": str(snapshot_id), "groups": list(ordinals)}
        settled = self._attempt.run.intent.marked_settled(claimed)
        async with self._attempt.recording(ROLLED_BACK, details, intent=settled) as unit:
            await unit.groups.mark_dropped(self._attempt.lease, dict.fromkeys(ordinals, DropReason.ended(ROLLED_BACK)))
            await unit.audit.append(
                SYSTEM, "table.roll_back", self._attempt.run.table_id, after={"run_id": self._attempt.run.id, **details}
            )
        self._attempt.metrics.failed_proofs.labels(ROLLED_BACK).inc()
        _log.error("snapshot_rolled_back", snapshot_id=snapshot_id)

    async def _freeze(self, snapshot_id: int, ordinals: Sequence[int], claimed: Iterable[int], why: str) -> NoReturn:
        run = self._attempt.run
        parent = await self._protected_parent(snapshot_id)
        found = f"snapshot {snapshot_id} of run {run.id} does not match the plan ({why})"
        reason = f"{found}; {_remedy(parent)}"
        details = {"snapshot_id": str(snapshot_id), "groups": list(ordinals), "reason": reason}
        settled = run.intent.marked_settled(claimed)
        async with self._attempt.recording("table_frozen", details, intent=settled) as unit:
            freeze = await unit.freezes.freeze(
                run.table_id, by=run.id, snapshot_id=snapshot_id, parent_id=parent, reason=reason
            )
            if ordinals:
                await unit.groups.mark_committed(self._attempt.lease, ordinals, snapshot_id)
            if freeze is not None:
                await unit.audit.append(SYSTEM, "table.freeze", run.table_id, after=freeze_document(freeze))
        self._attempt.metrics.failed_proofs.labels(FROZEN).inc()
        _log.critical("table_frozen", table_id=run.table_id, snapshot_id=snapshot_id, parent_id=parent, reason=reason)
        raise Fatal(f"{found}; the table is frozen: {_remedy(parent)}")

    async def _protected_parent(self, snapshot_id: int) -> int | None:
        """Protect the parent from expiry while the freeze lasts, and return it; None if it is gone or can't be kept."""
        try:
            table = await self._open_table()
            return await self._formats.write(table.ref, table.commits.protect_parent, self._attempt.run.id, snapshot_id)
        except PackhouseError as error:
            _log.warning("parent_not_protected", snapshot_id=snapshot_id, error=error.message)
            return None


def _failed(proof: Mapping[str, Any]) -> str:
    return "; ".join(f"{check['name']}: {check['detail']}" for check in proof["checks"] if not check["holds"])


def _remedy(parent: int | None) -> str:
    if parent is None:
        return "compare it with the expected contents, repair the table manually, then unfreeze it"
    return (
        f"compare it with its parent {parent}, which is kept from expiry, and repair the table: rolling back to "
        "it also removes all later commits; then unfreeze the table"
    )
