"""The exclusive right to advance one run. The token fences writes: it grows by one with every claim.

After the database was restored from a backup it grows by far more, to the next multiple of `RESTORE_STEP`: the record
of claims after the backup is lost, and no number of theirs may be used again, as they are in the names of files.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.ids import RunId

RESTORE_STEP: Final = 1_000_000
"""Distance of the first attempt, and of the first event, after a restore from those that the backup may lack."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Proof of a claim. `holder` and `token` guard every write of the holder; the token is the attempt's number."""

    run_id: RunId
    holder: str
    token: int
    expires_at: datetime
