"""Settings on how deletions are announced before they are done."""

from typing import Annotated, Final

from engine.domain.policies.documents.fields import DAY_SECONDS, Section, lasting, setting
from engine.domain.values.units import Duration

LEAST_GRACE_SECONDS: Final = 900
"""Shortest grace, that of a run that a person submits as well."""


class DeletionSettings(Section):
    """How automatic deletions are announced. The most careful of the policies that cover a table applies."""

    grace: Annotated[Duration, lasting(least=LEAST_GRACE_SECONDS)] | None = setting(
        DAY_SECONDS,
        description="Time between the announcement of the first automatic deletion of an operation and its start, in "
        "which it can be undone. The longest of all policies that cover the table applies.",
        examples=["48h"],
    )
