"""Start a run of Packhouse in a step of Dagster and wait for its end.

All tries of a step, and automatic retries of its Dagster run, send the same `Idempotency-Key`: they find the run that a
try before has started, while it is live or after it has succeeded. One that has ended otherwise is replaced.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from dagster import Failure, MetadataValue, OpExecutionContext
from packhouse_client import ApiError, Packhouse, PackhouseError, RunFailed

from packhouse_dagster.resources import PackhouseResource

if TYPE_CHECKING:
    from packhouse_client.models import RunDetail, RunEvent

_GOOD_ENDINGS: Final = ("succeeded", "skipped")
_RETRY_TAG: Final = "dagster/retry_number"  # of runs that Dagster's run retries have started


@dataclass(frozen=True, slots=True)
class RunRequest:
    """An operation of Packhouse on a table.

    `options` are further fields of the request, such as `{"priority": "high"}`. `acknowledge` bounds what an operation
    that deletes may delete: `up_to:bytes=50GB,files=10000`.
    """

    table: str
    operation: str = "rewrite"
    options: Mapping[str, Any] = field(default_factory=dict)
    acknowledge: str | None = None

    @property
    def body(self) -> dict[str, Any]:
        """The body of `POST /v1/runs`."""
        return {**self.options, "table_id": self.table, "operation": self.operation}


def run_to_its_end(context: OpExecutionContext, packhouse: PackhouseResource, request: RunRequest) -> "RunDetail":
    """Find the run of a try before, or start one, and wait for its end; return it if it succeeded or had nothing to do.

    A step that is terminated cancels the run that it started.

    Raises:
        Failure: the run ended otherwise, or the request was refused; retries are allowed where they can help.
    """
    try:
        with packhouse.client() as client:
            run_id, is_own = _find_or_begin(client, context, request)
            url = packhouse.run_url(run_id)
            context.log.info("run %s of %s on %s: %s", run_id, request.operation, request.table, url)
            try:
                return client.wait_for_run(run_id, on_event=lambda event: context.log.info(_sentence_of(event)))
            except RunFailed as failed:
                raise _failure_of(failed.run, packhouse) from failed
            except PackhouseError:
                raise
            except BaseException:  # Dagster interrupts the step
                if is_own:
                    client.runs.cancel(run_id)
                raise
    except ApiError as error:
        message = f"Packhouse refused ({error.status} {error.code}): {error}"
        raise Failure(message, allow_retries=error.may_pass) from error
    except PackhouseError as error:
        raise Failure(str(error)) from error


def metadata_of(run: "RunDetail", packhouse: PackhouseResource) -> dict[str, Any]:
    """Return the figures of a run as metadata of Dagster: state, link, and the numbers of its result."""
    result = run.result.to_document() if run.result else {}
    numbers = {name: value for name, value in result.items() if type(value) in (int, float)}
    link = MetadataValue.url(packhouse.run_url(run.id))
    return {"state": str(run.state), "run_id": run.id, "run": link, "table": run.table or run.table_id, **numbers}


def idempotency_key(context: OpExecutionContext, number: int, request: RunRequest) -> str:
    """Return the key of a step's request: equal in all tries of the step, and in automatic retries of its run."""
    run = context.run
    first = run.root_run_id if _RETRY_TAG in run.tags and run.root_run_id else run.run_id
    step = context.get_step_execution_context().step.key
    parts = (first, step, number, request.body)
    return "dagster-" + hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _find_or_begin(client: Packhouse, context: OpExecutionContext, request: RunRequest) -> tuple[str, bool]:
    for number in count(1):
        key = idempotency_key(context, number, request)
        answer = client.runs.submit.raw(body=request.body, acknowledge=request.acknowledge, idempotency_key=key)
        run_id, is_own = str(answer.document["id"]), not answer.document["deduplicated"]
        if answer.headers.get("idempotent-replayed") != "true":
            return run_id, is_own
        run = client.runs.get(run_id)
        context.log.info("found run %s of an earlier try: it is %s", run_id, run.state)
        if not run.is_terminal or run.state in _GOOD_ENDINGS:
            return run_id, is_own
    raise AssertionError("numbers do not end")


def _failure_of(run: "RunDetail", packhouse: PackhouseResource) -> Failure:
    reason = run.detail or run.reason or "no reason was recorded"
    message = f"run {run.id} of {run.table or run.table_id} {run.state}: {reason}"
    return Failure(message, metadata=metadata_of(run, packhouse), allow_retries=run.state == "failed")


def _sentence_of(event: "RunEvent") -> str:
    words = [str(event.to_state)] if event.to_state else []
    words += [event.reason] if event.reason else []
    return f"run {event.run_id}: {event.kind}" + (f" ({', '.join(words)})" if words else "")
