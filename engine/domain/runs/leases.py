"""The exclusive right to advance one run. The token fences writes: it grows by one with every claim."""

from dataclasses import dataclass
from datetime import datetime

from engine.domain.ids import RunId


@dataclass(frozen=True, slots=True)
class Lease:
    """Proof of a claim. `holder` and `token` guard every write of the holder; the token is the attempt's number."""

    run_id: RunId
    holder: str
    token: int
    expires_at: datetime
