"""`PackhouseRunOperator`: starts a run of Packhouse on a table and waits for its end.

A run belongs to a task until its end has been reported to the task: a try that finds such a run waits for it instead of
starting a second one. A run that has ended unsuccessfully without being reported is replaced by a new one.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from airflow.sdk import BaseOperator, Context
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowException, AirflowTaskTimeout
from packhouse_client import Packhouse, PackhouseError, RunFailed
from packhouse_client.errors import NotFound

from packhouse_airflow.hooks import DEFAULT_CONNECTION, PackhouseHook
from packhouse_airflow.links import PackhouseRunLink
from packhouse_airflow.outcomes import errors_of_airflow, outcome_of, sentence_of
from packhouse_airflow.taken import Taken, idempotency_key, recall, remember
from packhouse_airflow.triggers import PackhouseRunTrigger

if TYPE_CHECKING:
    from packhouse_client.models import RunDetail

_GOOD_ENDINGS: Final = ("succeeded", "skipped")
_DEFERRABLE: Final = conf.getboolean("operators", "default_deferrable", fallback=False)


class PackhouseRunOperator(BaseOperator):
    """Run an operation of Packhouse on one table.

    Args:
        table: id of the table, or its address, such as `lake.shop.orders`.
        operation: `rewrite`, `rewrite_manifests`, `expire_snapshots`, or another one that the table's format supports.
        options: further fields of the request, such as `{"priority": "high", "force_full": True}`.
        acknowledge: for an operation that deletes: the most that it may delete, `up_to:bytes=50GB,files=10000`.
        wait: wait for the end of the run; otherwise succeed as soon as it is accepted.
        deferrable: wait in the triggerer, without a worker; by default `[operators] default_deferrable`.
        when_skipped: `skip` the task, and so those after it, when the run had nothing to do; or `succeed`.
        packhouse_conn_id: the connection.

    The value of the task has `run_id`, `state`, `table` and `result`. `execution_timeout` is the time to wait since the
    try began; after it the run is cancelled.
    """

    template_fields: Sequence[str] = ("table", "operation", "options", "acknowledge")
    template_fields_renderers = {"options": "json"}  # noqa: RUF012 - declared so by Airflow
    operator_extra_links = (PackhouseRunLink(),)
    ui_color = "#d9ead3"

    def __init__(
        self,
        *,
        table: str,
        operation: str = "rewrite",
        options: Mapping[str, Any] | None = None,
        acknowledge: str | None = None,
        wait: bool = True,
        deferrable: bool = _DEFERRABLE,
        when_skipped: Literal["skip", "succeed"] = "skip",
        packhouse_conn_id: str = DEFAULT_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if when_skipped not in ("skip", "succeed"):
            raise ValueError(f"when_skipped: {when_skipped!r} is neither 'skip' nor 'succeed'")
        self.table = table
        self.operation = operation
        self.options = options
        self.acknowledge = acknowledge
        self.wait = wait
        self.deferrable = deferrable
        self.when_skipped = when_skipped
        self.packhouse_conn_id = packhouse_conn_id
        self._hook = PackhouseHook(packhouse_conn_id)
        self._waits_for: Taken | None = None
        self._is_killed = False

    def execute(self, context: Context) -> Any:
        """Find the run of an earlier try, or start one, then wait for its end."""
        with errors_of_airflow(), self._hook.get_conn() as client:
            taken = self._find_or_begin(client, context)
            return self._follow(client, context, taken)

    def execute_complete(self, context: Context, event: Mapping[str, Any], taken: Mapping[str, Any]) -> Any:
        """Report the end of the run that the trigger waited for."""
        self.log.info("run %s: %s %s", event["run_id"], event["outcome"], event["detail"])
        with errors_of_airflow(), self._hook.get_conn() as client:
            waited_for = Taken(**taken)
            if event["outcome"] == "lost":
                raise AirflowException(f"run {event['run_id']} could not be watched: {event['detail']}")
            if event["outcome"] == "timed_out":
                self._time_out(client, waited_for)
            return self._finish(client, context, waited_for, client.runs.get(waited_for.run_id))

    def on_kill(self) -> None:
        """Cancel the run that this process waits for, unless another one started it."""
        self._is_killed = True
        if self._waits_for is not None and self._waits_for.is_own:
            self._cancel(self._waits_for.run_id)

    def _find_or_begin(self, client: Packhouse, context: Context) -> Taken:
        taken = recall(context)
        if not taken.run_id:
            return self._begin(client, context, taken.number)
        try:
            run = client.runs.get(taken.run_id)
        except NotFound:
            self.log.warning("run %s of an earlier try does not exist any more", taken.run_id)
            return self._begin(client, context, taken.number + 1)
        self.log.info("found run %s of an earlier try: it is %s", run.id, run.state)
        if run.is_terminal and run.state not in _GOOD_ENDINGS:
            return self._begin(client, context, taken.number + 1)
        return taken

    def _begin(self, client: Packhouse, context: Context, number: int) -> Taken:
        body = {**(self.options or {}), "table_id": self.table, "operation": self.operation}
        key = idempotency_key(context, number, body)
        run = client.runs.submit(body=body, acknowledge=self.acknowledge, idempotency_key=key)
        taken = Taken(number, run.id, is_own=not run.deduplicated)
        remember(context, taken)
        origin = "joined" if run.deduplicated else "started"
        url = self._hook.run_url(run.id)
        self.log.info("%s run %s of %s on %s: %s", origin, run.id, self.operation, self.table, url)
        return taken

    def _follow(self, client: Packhouse, context: Context, taken: Taken) -> Any:
        """Wait for the end of a run here or in the triggerer, as is asked for; return the value of the task."""
        url = self._hook.run_url(taken.run_id)
        context["ti"].xcom_push(key=PackhouseRunLink().xcom_key, value=url)
        if not self.wait:
            remember(context, Taken(taken.number + 1))
            return {"run_id": taken.run_id, "state": None, "table": self.table, "result": {}}
        if self.deferrable:
            arguments = {"number": taken.number, "run_id": taken.run_id, "is_own": taken.is_own}
            self.defer(
                trigger=PackhouseRunTrigger(
                    self.packhouse_conn_id, taken.run_id, cancels=taken.is_own, deadline=self._deadline(context)
                ),
                method_name="execute_complete",
                kwargs={"taken": {**arguments, "is_found": taken.is_found}},
            )
        self._waits_for = taken
        try:
            run = client.wait_for_run(taken.run_id, on_event=lambda event: self.log.info(sentence_of(event)))
        except RunFailed as failed:
            run = failed.run
        self._waits_for = None
        return self._finish(client, context, taken, run)

    def _finish(self, client: Packhouse, context: Context, taken: Taken, run: "RunDetail") -> Any:
        if self._is_killed:
            raise AirflowException(f"the task was ended by its worker; run {run.id} is {run.state}")
        if taken.is_found and _was_withdrawn(run):
            self.log.info("run %s was cancelled with the earlier try", run.id)
            return self._follow(client, context, self._begin(client, context, taken.number + 1))
        remember(context, Taken(taken.number + 1))  # its end is reported: a later try starts a new run
        return outcome_of(run, may_skip=self.when_skipped == "skip")

    def _time_out(self, client: Packhouse, taken: Taken) -> None:
        if taken.is_own:
            client.runs.cancel(taken.run_id)
        what = "cancel requested" if taken.is_own else "it goes on, as another caller started it"
        raise AirflowTaskTimeout(f"run {taken.run_id} has not ended within execution_timeout; {what}")

    def _cancel(self, run_id: str) -> None:
        try:
            with self._hook.get_conn() as client:
                run = client.runs.cancel(run_id)
        except PackhouseError as error:
            self.log.warning("run %s could not be cancelled: %s", run_id, error)
        else:
            self.log.info("run %s: cancel requested, it is %s", run_id, run.state)

    def _deadline(self, context: Context) -> float | None:
        if self.execution_timeout is None:
            return None
        began = context["ti"].start_date or datetime.now(UTC)
        return float(began.timestamp() + self.execution_timeout.total_seconds())


def _was_withdrawn(run: "RunDetail") -> bool:
    """Return whether a run was cancelled by the caller that submitted it: by this task, when it was cleared."""
    return run.state == "cancelled" and run.cancel_requested_by == run.requested_by
