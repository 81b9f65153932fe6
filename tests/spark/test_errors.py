"""How texts of the server become errors of the domain. The texts were answered by Spark 4.1.4."""

import pytest

from engine.domain.errors import Interrupted, SparkFailed, Transient
from engine.spark.errors import first_cause, is_gone, translate

PYTHON = """
  An exception was thrown from the Python worker. Please see the stack trace below.
Traceback (most recent call last):
  File "task.py", line 3, in inner
    raise KeyError("a")
KeyError: 'a'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "task.py", line 9, in body
    if kind == "value": raise ValueError("no such column: x\\nsecond line")
                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ValueError: no such column: x
second line
"""
CRASHED = (
    "Job aborted due to stage failure: Task 0 in stage 47.0 failed 1 times, most recent failure: Lost task 0.0 in "
    "stage 47.0 (TID 47) (host executor driver): org.apache.spark.SparkException: Python worker exited unexpectedly "
    "(crashed). Consider setting 'spark.python.worker.faulthandler.enabled'.\n"
    "\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator$$anonfun$1.applyOrElse(PythonRunner.scala:678)\n"
)
WRAPPED = """(org.apache.spark.SparkException) Writing job failed
Caused by: java.util.concurrent.ExecutionException: java.lang.IllegalStateException: x
\tat java.base/java.util.concurrent.FutureTask.report(FutureTask.java:122)
Caused by: org.apache.iceberg.exceptions.ValidationException: Missing required files to delete: a.parquet
\tat org.apache.iceberg.MergingSnapshotProducer.validate(MergingSnapshotProducer.java:1)
Caused by: java.io.IOException: deeper
"""


def test_the_cause_of_a_python_failure_is_the_exception_that_left_the_task() -> None:
    assert first_cause(PYTHON) == "ValueError: no such column: x\nsecond line"


def test_the_cause_of_a_lost_task_is_what_the_executor_said() -> None:
    assert first_cause(CRASHED).startswith(
        "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"
    )


def test_wrapping_exceptions_are_not_causes() -> None:
    assert first_cause(WRAPPED) == (
        "org.apache.iceberg.exceptions.ValidationException: Missing required files to delete: a.parquet"
    )


def test_a_text_without_causes_gives_its_first_line() -> None:
    assert first_cause("\n[USER_RAISED_EXCEPTION] boo SQLSTATE: P0001\n\nJVM stacktrace:\nx") == (
        "[USER_RAISED_EXCEPTION] boo SQLSTATE: P0001"
    )


def test_a_failure_names_the_class_of_its_cause() -> None:
    failure = translate(RuntimeError(WRAPPED))
    assert isinstance(failure, SparkFailed)
    assert failure.details["cause"] == "org.apache.iceberg.exceptions.ValidationException"


def test_a_cancelled_operation_was_interrupted() -> None:
    assert isinstance(translate(RuntimeError("[OPERATION_CANCELED] Operation has been canceled.")), Interrupted)


@pytest.mark.parametrize(
    "text",
    [
        "[INVALID_HANDLE.SESSION_CLOSED] The handle x is invalid. Session was closed.",
        "[INVALID_HANDLE.SESSION_CHANGED] The handle x is invalid.",
        "[INVALID_HANDLE.OPERATION_ABANDONED] The handle x is invalid.",
        "[NO_ACTIVE_SESSION] No active Spark session found.",
        "Received incorrect server side session identifier for request.",
        "Job 12 cancelled because SparkContext was shut down",
    ],
)
def test_a_server_that_forgot_us_is_away(text: str) -> None:
    assert isinstance(translate(RuntimeError(text)), Transient)


def test_an_error_of_the_domain_stays_what_it_is() -> None:
    error = Transient("Spark is away")
    assert translate(error) is error


def test_an_operation_that_the_server_does_not_know_is_gone() -> None:
    assert is_gone(RuntimeError("[INVALID_HANDLE.OPERATION_NOT_FOUND] The handle x is invalid."))
