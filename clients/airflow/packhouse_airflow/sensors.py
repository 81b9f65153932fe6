"""Sensors: `PackhouseRunSensor` waits for the end of a run, `PackhouseTableSensor` for the health of a table."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from airflow.sdk import BaseSensorOperator, Context, PokeReturnValue
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowException, AirflowSensorTimeout

from packhouse_airflow.hooks import DEFAULT_CONNECTION, PackhouseHook
from packhouse_airflow.outcomes import errors_of_airflow, outcome_of
from packhouse_airflow.triggers import PackhouseRunTrigger


class PackhouseRunSensor(BaseSensorOperator):
    """Wait for the end of a run that another task or system has started; the run is never cancelled.

    Args:
        run_id: the run, such as `{{ ti.xcom_pull("compact")["run_id"] }}`.
        deferrable: wait in the triggerer; by default `[operators] default_deferrable`.
        packhouse_conn_id: the connection.
    """

    template_fields: Sequence[str] = ("run_id",)

    def __init__(
        self,
        *,
        run_id: str,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        packhouse_conn_id: str = DEFAULT_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.run_id = run_id
        self.deferrable = deferrable
        self.packhouse_conn_id = packhouse_conn_id

    def execute(self, context: Context) -> Any:
        """Wait in the triggerer, or look at intervals."""
        if not self.deferrable:
            return super().execute(context)
        began = context["ti"].start_date or datetime.now(UTC)
        deadline = began.timestamp() + self.timeout
        trigger = PackhouseRunTrigger(self.packhouse_conn_id, self.run_id, deadline=deadline)
        return self.defer(trigger=trigger, method_name="execute_complete")

    def poke(self, context: Context) -> PokeReturnValue:  # noqa: ARG002 - the signature of a sensor
        """Look at the run once."""
        with errors_of_airflow(), PackhouseHook(self.packhouse_conn_id).get_conn() as client:
            run = client.runs.get(self.run_id)
            if run.is_terminal:
                return PokeReturnValue(is_done=True, xcom_value=outcome_of(run, may_skip=False))
        self.log.info("run %s is %s: %s", run.id, run.state, run.detail or "at work")
        return PokeReturnValue(is_done=False)

    def execute_complete(self, context: Context, event: Mapping[str, Any]) -> Any:
        """Report the end of the run that the trigger waited for."""
        match event["outcome"]:
            case "ended":
                return self.poke(context).xcom_value
            case "timed_out":
                raise AirflowSensorTimeout(event["detail"])
            case _:
                raise AirflowException(event["detail"])


class PackhouseTableSensor(BaseSensorOperator):
    """Wait until a table is in good health: until every condition that is given holds.

    Args:
        table: id of the table, or its address, such as `lake.shop.orders`.
        is_due: whether the table's policy makes it due for a rewrite; False waits until it has been rewritten.
        least_score: the lowest health score, 0 to 100.
        most_small_files: the highest number of small files.
        packhouse_conn_id: the connection.

    Each look reads the table's metadata: give a `poke_interval` of minutes, and `mode="reschedule"`.
    """

    template_fields: Sequence[str] = ("table",)

    def __init__(
        self,
        *,
        table: str,
        is_due: bool | None = None,
        least_score: int | None = None,
        most_small_files: int | None = None,
        packhouse_conn_id: str = DEFAULT_CONNECTION,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if is_due is None and least_score is None and most_small_files is None:
            raise ValueError("a condition is missing: give is_due, least_score or most_small_files")
        self.table = table
        self.is_due = is_due
        self.least_score = least_score
        self.most_small_files = most_small_files
        self.packhouse_conn_id = packhouse_conn_id

    def poke(self, context: Context) -> PokeReturnValue:  # noqa: ARG002 - the signature of a sensor
        """Measure the table once; the value of the task has its score and numbers of files."""
        with errors_of_airflow(), PackhouseHook(self.packhouse_conn_id).get_conn() as client:
            health = client.tables.health(self.table)
        measured = {
            "is_due": health.due.is_due,
            "score": health.score,
            "small_file_count": health.small_file_count,
            "file_count": health.file_count,
        }
        self.log.info("%s: %s", self.table, measured)
        holds = (
            self.is_due in (None, health.due.is_due)
            and (self.least_score is None or health.score >= self.least_score)
            and (self.most_small_files is None or health.small_file_count <= self.most_small_files)
        )
        return PokeReturnValue(is_done=holds, xcom_value=measured)
