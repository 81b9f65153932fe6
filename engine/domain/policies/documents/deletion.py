"""Settings on how deletions are announced before they are done."""

from typing import Annotated, Final

from pydantic import Field

from engine.domain.policies.documents.fields import DAY_SECONDS, Section, lasting, setting
from engine.domain.values.strict import Whole
from engine.domain.values.units import Duration

LEAST_GRACE_SECONDS: Final = 900
"""Shortest grace, that of a run that a person submits as well."""


class SurgeSettings(Section):
    """When an automatic deletion waits for an acknowledgement: it is above both the factor and the share."""

    factor: Annotated[Whole, Field(ge=1, le=1000)] | None = setting(
        3,
        description="Multiple of the median of the last ten deletions of the operation above which the next one waits. "
        "The smallest of all policies that cover the table applies.",
        examples=[2],
    )
    share_percent: Annotated[Whole, Field(ge=0, le=100)] | None = setting(
        10,
        description="Percentage of the table above which a deletion waits if it is above `factor` as well. The "
        "smallest of all policies that cover the table applies.",
        examples=[5],
    )


class DeletionSettings(Section):
    """How automatic deletions are announced. The most careful of the policies that cover a table applies."""

    grace: Annotated[Duration, lasting(least=LEAST_GRACE_SECONDS)] | None = setting(
        DAY_SECONDS,
        description="Time between the announcement of the first automatic deletion of an operation and its start, in "
        "which it can be undone. The longest of all policies that cover the table applies.",
        examples=["48h"],
    )
    surge: SurgeSettings | None = Field(
        None, description="Automatic deletions that are larger than usual wait for an acknowledgement."
    )
