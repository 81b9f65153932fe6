"""Map the end of a run, or an error of the API, to the end of the task that waits for it.

    run succeeded                        the task succeeds
    run skipped: nothing to do           AirflowSkipException, or success if the task says so
    run failed                           AirflowException: the task is retried
    run refused, run cancelled           AirflowFailException: not retried
    request refused (4xx)                AirflowFailException
    conflict with another request (409)  AirflowException, as are no answer, 429 and 5xx

Messages are the sentences of the server: they name the field or the reason, and the remedy.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from packhouse_client import ApiError, PackhouseError

if TYPE_CHECKING:
    from packhouse_client.models import RunDetail, RunEvent


@contextmanager
def errors_of_airflow() -> Iterator[None]:
    """Raise errors of the SDK in the block as those of Airflow, which say whether the task is retried."""
    try:
        yield
    except ApiError as error:
        message = f"Packhouse refused ({error.status} {error.code}): {error}"
        if error.may_pass:
            raise AirflowException(message) from error
        raise AirflowFailException(message) from error
    except PackhouseError as error:
        raise AirflowException(str(error)) from error


def outcome_of(run: "RunDetail", *, may_skip: bool) -> dict[str, Any]:
    """Return the figures of an ended run.

    Raises:
        AirflowSkipException: it had nothing to do, and `may_skip`. AirflowException: it failed, and may be retried.
        AirflowFailException: it was refused or cancelled.
    """
    reason = run.detail or run.reason or "no reason was recorded"
    sentence = f"run {run.id} of {run.table or run.table_id} {run.state}: {reason}"
    match str(run.state):
        case "succeeded":
            return figures_of(run)
        case "skipped":
            if may_skip:
                raise AirflowSkipException(sentence)
            return figures_of(run)
        case "cancelled" if run.cancel_requested_by:
            raise AirflowFailException(f"{sentence} (requested by {run.cancel_requested_by})")
        case "refused" | "cancelled":
            raise AirflowFailException(sentence)
        case _:
            raise AirflowException(sentence)


def sentence_of(event: "RunEvent") -> str:
    """Return an event of a run as a line of the task's log."""
    words = [str(event.to_state)] if event.to_state else []
    words += [event.reason] if event.reason else []
    return f"run {event.run_id}: {event.kind}" + (f" ({', '.join(words)})" if words else "")


def figures_of(run: "RunDetail") -> dict[str, Any]:
    """Return what a task hands on: id, state, table, and the numbers and texts of the result, without its lists."""
    result = run.result.to_document() if run.result else {}
    kept = {name: value for name, value in result.items() if isinstance(value, str | int | float)}
    return {"run_id": run.id, "state": str(run.state), "table": run.table or run.table_id, "result": kept}
