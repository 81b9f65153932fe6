"""Quiet hours and blackouts to come on the wire."""

from typing import Self

from pydantic import Field

from api.schemas.common import Answer, Instant
from engine.domain.policies import OnStart, WindowKind, WindowSpan
from engine.services.policies import windows as domain


class TableWindow(Answer):
    """An occurrence of a window: no rewrite starts in it."""

    kind: WindowKind = Field(description="`quiet_hours` repeat each week, a `blackout` comes once.")
    starts_at: Instant = Field(description="Start; in the past for a window that holds now.")
    ends_at: Instant = Field(description="End; rewrites may start from then on.")
    on_start: OnStart = Field(description="How running rewrites react to its start.")
    reason: str = Field(
        description="The quiet hours in words, or the reason of the blackout.",
        examples=["quiet hours 09:00-17:00 Europe/Berlin"],
    )

    @classmethod
    def from_domain(cls, span: WindowSpan) -> Self:
        """Return the wire form."""
        return cls.model_validate(span._asdict())


class WindowTable(Answer):
    """A table whose policy has the window."""

    table_id: str
    table: str = Field(description="Address of the table.", examples=["lake.sales.orders"])


class FleetWindow(TableWindow):
    """An occurrence of a window that the policies of several tables have."""

    table_count: int = Field(description="Tables that have it.")
    examples: list[WindowTable] = Field(description="Some of them, at most 3.")

    @classmethod
    def from_shared(cls, shared: domain.SharedWindow) -> Self:
        """Return the wire form."""
        examples = [WindowTable(table_id=each.id, table=each.address) for each in shared.examples]
        own = {"table_count": shared.table_count, "examples": examples}
        return cls.model_validate({**shared.span._asdict(), **own})


class TableWindows(Answer):
    """Windows of a table from now on; those that overlap are all listed."""

    since: Instant = Field(description="Now.")
    until: Instant = Field(description="End of the hours asked for.")
    items: list[TableWindow] = Field(description="Occurrences that touch this time, in order.")

    @classmethod
    def of_table(cls, found: domain.TableWindows) -> Self:
        """Return the wire form."""
        items = [TableWindow.from_domain(span) for span in found.items]
        return cls(since=found.since, until=found.until, items=items)


class FleetWindows(Answer):
    """Windows of all tables that the caller sees, from now on; those that overlap are all listed."""

    since: Instant = Field(description="Now.")
    until: Instant = Field(description="End of the hours asked for.")
    table_count: int = Field(description="Tables that the caller sees.")
    window_table_count: int = Field(description="Those of them whose policies have a window at any time.")
    items: list[FleetWindow] = Field(description="Occurrences that touch this time, in order, at most 1000.")
    omitted_count: int = Field(description="Occurrences left out after these.")

    @classmethod
    def of_fleet(cls, found: domain.FleetWindows) -> Self:
        """Return the wire form."""
        own = {name: getattr(found, name) for name in domain.FleetWindows.__slots__ if name != "items"}
        return cls.model_validate({**own, "items": [FleetWindow.from_shared(shared) for shared in found.items]})
