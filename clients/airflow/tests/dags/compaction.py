"""DAGs of the tests: one task, which compacts the table that the trigger of the DAG run names."""

from datetime import timedelta

from airflow.sdk import DAG
from packhouse_airflow.operators import PackhouseRunOperator

TABLE = "{{ dag_run.conf['table'] }}"
OPTIONS = {"force_full": True}
RETRIES = {"retries": 2, "retry_delay": timedelta(seconds=1)}

for name in ("deferred", "blocking"):
    with DAG(name, schedule=None):
        PackhouseRunOperator(task_id="run", table=TABLE, options=OPTIONS, deferrable=name == "deferred", **RETRIES)

with DAG("hurried", schedule=None):
    PackhouseRunOperator(task_id="run", table=TABLE, deferrable=True, execution_timeout=timedelta(seconds=5))
