"""`PackhouseRunTrigger`: waits for the end of a run in the event loop of Airflow's triggerer.

It has no secret: the connection is read where it runs. Nothing in it blocks the loop: models of the SDK, which take
a second to import, and the client, which reads certificates, are made in threads.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from airflow.triggers.base import BaseTrigger, TriggerEvent
from packhouse_client import NoAnswer, PackhouseError, RunFailed, WaitTimedOut
from packhouse_client.errors import NotFound, StateConflict, Unavailable

from packhouse_airflow.hooks import PackhouseHook
from packhouse_airflow.outcomes import sentence_of

if TYPE_CHECKING:
    from packhouse_client.models import RunEvent

_CANCEL_SECONDS: Final = 25.0  # the triggerer allows on_kill 30 (`[triggerer] on_kill_timeout`)


class PackhouseRunTrigger(BaseTrigger):
    """Fires once: with `outcome` `ended`, `timed_out` (at `deadline`, seconds since 1970) or `lost` (no answer).

    `cancels`: a task that is killed by a person cancels the run.
    """

    def __init__(
        self, packhouse_conn_id: str, run_id: str, *, cancels: bool = False, deadline: float | None = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.packhouse_conn_id = packhouse_conn_id
        self.run_id = run_id
        self.cancels = cancels
        self.deadline = deadline

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return the class and the arguments, with which another triggerer continues."""
        names = ("packhouse_conn_id", "run_id", "cancels", "deadline")
        return f"{__name__}.{type(self).__name__}", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait for the end of the run, its deadline, or a server that does not answer for minutes."""
        outcome, detail = "ended", ""
        try:
            await self._wait()
        except RunFailed:
            pass  # the task reads the run, and reports its end
        except WaitTimedOut as error:
            outcome, detail = "timed_out", str(error)
        except (PackhouseError, ValueError) as error:
            outcome, detail = "lost", str(error)
        event = {"run_id": self.run_id, "outcome": outcome, "detail": detail}
        yield TriggerEvent(event)  # type: ignore[no-untyped-call]

    async def _wait(self) -> None:
        await asyncio.to_thread(import_module, "packhouse_client._generated.models")
        left = None if self.deadline is None else max(0.0, self.deadline - time.time())
        async with await PackhouseHook(self.packhouse_conn_id).aget_conn() as client:
            await client.wait_for_run(self.run_id, timeout=left, on_event=self._log_event)

    def _log_event(self, event: "RunEvent") -> None:
        self.log.info(sentence_of(event))

    async def on_kill(self) -> None:
        """Cancel the run: a person marked the task failed or success, or cleared it.

        Airflow 3.3.2 cancels the trigger, and this method with it, again every second until it has ended: a request
        that takes longer would be lost without a task of its own.
        """
        work = asyncio.create_task(self._end_run())
        while not work.done():
            with suppress(asyncio.CancelledError):
                await asyncio.shield(work)
        work.result()

    async def _end_run(self) -> None:
        """Cancel the run, unless another one started it or the task still waits.

        Airflow also calls this in a triggerer that was slow to report itself and lost its triggers to another one: a
        task that still waits is not killed, and its run goes on.
        """
        if not self.cancels:
            self.log.info("run %s goes on: this task did not start it", self.run_id)
        elif await self._still_waits():
            self.log.info("run %s goes on: the task waits for it in another triggerer", self.run_id)
        else:
            async with asyncio.timeout(_CANCEL_SECONDS):
                await self._cancel()

    async def _cancel(self) -> None:
        async with await PackhouseHook(self.packhouse_conn_id).aget_conn() as client:
            while True:
                try:
                    run = await client.runs.cancel(self.run_id)
                except (NotFound, StateConflict) as error:
                    self.log.info("run %s needs no cancel: %s", self.run_id, error)
                    return
                except (NoAnswer, Unavailable) as error:
                    self.log.warning("run %s could not be cancelled yet: %s", self.run_id, error)
                    await asyncio.sleep(1.0)
                else:
                    self.log.info("run %s: cancel requested, it is %s", self.run_id, run.state)
                    return

    async def _still_waits(self) -> bool:
        """Return whether the task is deferred; False where Airflow does not answer that."""
        # every DAG file that uses the operator imports this module, and needs no task runner
        from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance  # noqa: PLC0415

        task: Any = self.task_instance
        if task is None:
            return False
        try:
            states = await asyncio.to_thread(
                RuntimeTaskInstance.get_task_states,
                dag_id=task.dag_id,
                task_ids=[task.task_id],
                run_ids=[task.run_id],
                map_index=task.map_index,
            )
        except Exception:  # an error here must not leave the run going
            self.log.warning("the state of the task is not known; cancelling run %s", self.run_id, exc_info=True)
            return False
        return "deferred" in states.get(task.run_id, {}).values()
