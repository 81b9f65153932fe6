"""One attempt at an expiry of snapshots: metadata only, no file is deleted.

Snapshots are removed in commits of at most `MOST_AT_ONCE`. Their ids are stored before each is sent, so that the next
attempt counts those that are gone although the answer was lost. A repeated commit has no further effect: what an
attempt does is planned from the table as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock
from engine.domain.errors import Fatal, PackhouseError
from engine.domain.fleet.breakers import Fault
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.expiry import Expiry, ExpiryPlan, Needed
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.run import Run, RunState, WaitingFor
from engine.domain.runs.timelines import run_timeline
from engine.formats.base import Condition, OpenTable
from engine.services.catalogs.formats import FormatRegistry
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.planning.upkeep import expiry_rule, expiry_words, keeper_of
from engine.services.planning.wording import many
from engine.services.policies.effective import PolicyReader
from engine.services.runs.attempts import STOPS_BY_HOLDS, Attempt, Stop
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_log = structlog.get_logger(__name__)

MOST_AT_ONCE: Final = 1000
_MOST_LIVE: Final = 10_000


class _Stopped(PackhouseError):
    """The attempt has to stop before anything more is sent."""

    def __init__(self) -> None:
        super().__init__("the attempt was stopped before anything was sent")


@dataclass(frozen=True, slots=True)
class ExpiryContext:
    """Services that all attempts share."""

    database: Database
    formats: FormatRegistry
    clock: Clock


class ExpiryAttempt:
    """One attempt at an expiry of snapshots, an `OperationAttempt`."""

    def __init__(self, *, context: ExpiryContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        self._context = context
        self._attempt = attempt
        self._step = step
        self._table: OpenTable
        self._expired = attempt.run.result.expired_snapshots
        self._proofs: list[Mapping[str, Any]] = list(attempt.run.result.verifications)

    async def settle(self) -> None:
        """Count the snapshots that an earlier attempt sent for removal and that are gone."""
        self._step("claimed")
        self._table = await self._open()
        sent = self._attempt.run.intent.snapshots
        if sent:
            left = await self._context.formats.work(self._table.ref, keeper_of(self._table).retained, sent)
            gone = Condition("expired_are_gone", True, f"{len(sent) - len(left)} of {len(sent)} are gone")
            await self._count(len(sent) - len(left), [gone] if len(left) < len(sent) else ())

    async def run(self) -> None:
        """Plan, remove snapshots from the metadata and end. Call `settle` first."""
        await self._attempt.check()
        if self._attempt.stop_reason is Stop.CANCELLED:
            await self.cancel()
            return
        policy = await self._policy()
        rule = expiry_rule(policy)
        if not policy.enabled or rule is None:
            why = "maintenance.expire_snapshots: off" if policy.enabled else "enabled: false"
            await self._end(self._state(), "disabled", f"the table's policy has {why}")
            return
        keeper = keeper_of(self._table)
        async with self._context.database.read() as unit:
            expiry = Expiry(rule, await unit.now(), await self._needed(unit))
        plan = await self._context.formats.work(self._table.ref, keeper.plan_expiry, expiry)
        self._step("planned")
        await self._attempt.check()
        if plan.expired:
            await self._begin(policy, plan)
        try:
            await self._expire(plan, expiry)
        except _Stopped:
            await self._conclude(plan, is_done=False)
        else:
            await self._conclude(plan, is_done=True)

    async def _expire(self, plan: ExpiryPlan, expiry: Expiry) -> None:
        """Remove the planned snapshots. Raises `_Stopped` if the attempt has to stop before all are gone."""
        ids, keeper = iter(plan.expired), keeper_of(self._table)
        while some := list(islice(ids, MOST_AT_ONCE)):
            await self._attempt.check()
            self._go_on()
            await self._attempt.transition(RunState.COMMITTING, intent=self._intent(some))
            self._step("before_commit")
            expire = partial(keeper.expire, before_try=self._may_send)
            proof = await self._context.formats.change(self._table.ref, expire, some, expiry)
            self._step("after_commit")
            left = await self._context.formats.work(self._table.ref, keeper.retained, some)
            await self._count(len(some) - len(left), proof)

    def _go_on(self) -> None:
        if not self._attempt.may_begin():
            raise _Stopped

    def _may_send(self) -> None:
        """Raise `_Stopped` if the heartbeat was told to stop; called in the thread that sends."""
        if self._attempt.stop_reason is not None:
            raise _Stopped

    async def cancel(self) -> None:
        """End the run as cancelled; expired snapshots stay expired."""
        await self._end(RunState.CANCELLED, "cancelled", f"cancelled by {self._attempt.cancelled_by}")

    async def fail(self, *, reason: str, detail: str, fault: Fault = Fault.OTHER) -> None:
        """End the run as failed; expired snapshots stay expired."""
        await self._end(RunState.FAILED, reason, detail, fault=fault)

    async def stop_tasks(self) -> bool:
        """Return True: this operation has no tasks."""
        return True

    async def _conclude(self, plan: ExpiryPlan, *, is_done: bool) -> None:
        stop = self._attempt.stop_reason
        hold = self._attempt.hold if stop in STOPS_BY_HOLDS else None
        if is_done and not plan.expired and not self._expired:
            kept = sum(plan.kept.values())
            await self._end(
                RunState.SKIPPED, "nothing_to_do", expiry_words(plan), plan=plan.document(), kept_snapshots=kept
            )
        elif is_done and self._expired:
            detail = f"{many(self._expired, 'snapshot')} expired; their files were not deleted"
            await self._end(RunState.SUCCEEDED, "committed", detail, kept_snapshots=sum(plan.kept.values()))
        elif is_done:  # other commits made every one of them needed
            await self._end(RunState.SUCCEEDED, "committed", "no planned snapshot may expire any more")
        elif stop is Stop.CANCELLED:
            await self.cancel()
        elif hold is not None:
            await self._attempt.park(
                waiting_for=hold.waiting_for,
                not_before=hold.until,
                reason=hold.reason,
                detail=hold.detail,
                failed=False,
            )
        else:
            detail = "the worker was stopped; another goes on"
            await self._attempt.park(
                waiting_for=WaitingFor.RETRY, not_before=None, reason="worker_stopped", detail=detail, failed=False
            )

    async def _open(self) -> OpenTable:
        async with self._context.database.read() as unit:
            table, catalog = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
        return await open_registered(self._context.formats, catalog, table)

    async def _policy(self) -> EffectivePolicy:
        async with self._context.database.read() as unit:
            registered, _ = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
            return await PolicyReader.effective(unit, registered, self._table.policy_properties())

    async def _needed(self, unit: UnitOfWork) -> Needed:
        """Return the snapshots that other live runs of the table need: their bases, and all since they began."""
        live = await unit.runs.list_live(self._attempt.run.table_id, _MOST_LIVE)
        others = [run for run in live if run.id != self._attempt.run.id and run.attempt > 0]
        since = min((run.created_at for run in others), default=None)
        return Needed(frozenset(each for run in others for each in _bases(run)), since)

    async def _begin(self, policy: EffectivePolicy, plan: ExpiryPlan) -> None:
        await self._attempt.transition(
            RunState.REWRITING,
            plan=plan.document(),
            policy={"values": dict(policy.values), "origins": dict(policy.origins)},
            details={"expired": len(plan.expired)},
        )

    def _intent(self, snapshot_ids: Sequence[int]) -> RunIntent:
        sent = frozenset({0} if snapshot_ids else ())  # see `Run.unsettled`
        return RunIntent(table_uuid=self._table.uuid, sent=sent, snapshots=tuple(snapshot_ids))

    async def _count(self, expired: int, proof: Sequence[Condition]) -> None:
        """Store the snapshots that are gone, with their proof.

        Raises:
            Fatal: a check of the commit failed.
        """
        self._expired += expired
        is_proven = all(each.holds for each in proof)
        if proof:
            self._proofs.append({"ok": is_proven, "checks": [asdict(each) for each in proof]})
        result = self._attempt.run.result.updated(**self._figures())
        details = {"snapshots": expired, "ok": is_proven}
        documents: dict[str, Any] = {"intent": self._intent(()), "result": result, "is_progress": expired > 0}
        await self._attempt.record("snapshots_expired", details, **documents)
        if self._attempt.run.state is RunState.COMMITTING:
            await self._attempt.transition(RunState.REWRITING)
        if not is_proven:
            failed = "; ".join(f"{each.name}: {each.detail}" for each in proof if not each.holds)
            raise Fatal(f"the expiry of snapshots is not as planned: {failed}")

    def _figures(self) -> dict[str, Any]:
        return {"expired_snapshots": self._expired, "verifications": self._proofs}

    def _state(self) -> RunState:
        return RunState.SUCCEEDED if self._expired else RunState.SKIPPED

    async def _end(
        self,
        state: RunState,
        reason: str,
        detail: str,
        *,
        fault: Fault = Fault.OTHER,
        plan: dict[str, Any] | None = None,
        **figures: Any,
    ) -> None:
        async with self._context.database.read() as unit:
            timeline = run_timeline(await unit.events.list_bounds(self._attempt.run.id), now=await unit.now())
        spent = {"seconds": timeline.working_seconds, "time": timeline.document()}
        result = self._attempt.run.result.updated(**self._figures(), **figures, **spent)
        planned = {} if plan is None else {"plan": plan}
        self._step("before_end")
        await self._attempt.transition(state, reason=reason, detail=detail, result=result, fault=fault, **planned)
        self._attempt.metrics.observe_end(self._attempt.run)
        _log.info("run_ended", state=state.value, reason=reason, detail=detail)


def _bases(run: Run) -> Sequence[int]:
    """Return the ids of the snapshots that a run works from."""
    planned = str(run.plan.get("base_snapshot_id") or "")
    return [*run.intent.bases, *([int(planned)] if planned.isdigit() else [])]
