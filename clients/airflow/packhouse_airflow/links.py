"""The link from a task of Airflow to its run in the web console of Packhouse."""

from typing import TYPE_CHECKING

from airflow.sdk import BaseOperatorLink
from airflow.sdk.execution_time.xcom import XCom

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator
    from airflow.sdk.types import TaskInstanceKey


class PackhouseRunLink(BaseOperatorLink):
    """Button that opens the run. The operator stores its address when the run has started, before it waits."""

    name = "Packhouse run"

    def get_link(self, operator: "BaseOperator", *, ti_key: "TaskInstanceKey") -> str:  # noqa: ARG002 - as Airflow calls it
        """Return the address that the operator has stored; empty before."""
        stored = XCom.get_value(ti_key=ti_key, key=self.xcom_key)
        return str(stored or "")
