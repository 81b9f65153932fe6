"""Settings that only an admin may lower: the times that protect files which a running writer may still commit."""

from datetime import timedelta
from typing import Any, Final

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.policies import PolicyDocument
from engine.domain.runs.removals import LEAST_QUARANTINE
from engine.domain.values.units import format_duration

_SETTING: Final = "maintenance.remove_orphans"


def check_floors(caller: Caller, before: PolicyDocument | None, after: PolicyDocument) -> None:
    """Check that only an admin stores a quarantine of orphans shorter than `LEAST_QUARANTINE`.

    A quarantine that the policy had before is accepted, so that others can change its other settings.

    Raises:
        InvalidInput: the quarantine is shorter, and the caller is not an admin.
    """
    seconds = _quarantine_of(after)
    if caller.role is Role.ADMIN or seconds is None or seconds >= LEAST_QUARANTINE // timedelta(seconds=1):
        return
    if before is not None and _quarantine_of(before) == seconds:
        return
    least = format_duration(LEAST_QUARANTINE // timedelta(seconds=1))
    message = f"a file is deleted after less than {least} in quarantine, in which its writer may still commit it"
    hint = f"give {least} or more, or let an admin store this policy"
    problem = FieldProblem("/maintenance/remove_orphans/quarantine", message, format_duration(seconds), hint)
    raise InvalidInput(f"{_SETTING}.quarantine: {message}; {hint}", problems=(problem,))


def _quarantine_of(document: PolicyDocument) -> int | None:
    """Return the quarantine in seconds; None if the document does not switch the removal of orphans on."""
    value: Any = document.leaves().get(_SETTING)
    return value["quarantine"] if isinstance(value, dict) else None
