"""Tables of a catalog: which to register, the tables found, and the outcome for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.domain.ids import TableId
from engine.domain.tables.table import TableRef


class DiscoveryOutcome(StrEnum):
    """Result of a discovery for one table."""

    ALREADY_REGISTERED = "already_registered"
    REGISTRABLE = "registrable"
    REGISTERED = "registered"
    WOULD_REGISTER = "would_register"
    REFUSED = "refused"
    NOT_TRIED = "not_tried"


@dataclass(frozen=True, slots=True)
class RegistrationRequest:
    """The pattern of tables to register, and what they get.

    `pattern` is matched against `namespace.name` (`*`: any characters, `?`: one). At most `limit` tables are
    registered, for a team, with labels and optionally paused.
    """

    pattern: str = "*"
    owner_team: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    limit: int = 200
    paused: bool = False


@dataclass(frozen=True, slots=True)
class DiscoveredTable:
    """One table of the catalog. `detail` is the reason why it was refused or not tried."""

    ref: TableRef
    outcome: DiscoveryOutcome
    table_id: TableId | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Discovery:
    """Result: `examined` tables of the catalog, of which those in `tables` match; truncated: the catalog has more."""

    examined: int
    is_truncated: bool
    tables: tuple[DiscoveredTable, ...]
