"""Leadership of one process, which knows until when it leads for certain, even without the database."""

from typing import Final

from engine.domain.clock import Clock
from engine.stores.database import Database

LEAD_SECONDS: Final = 15.0
"""Time after which a silent leader is replaced by another."""


class Leadership:
    """One holder's candidacy for one leadership."""

    def __init__(
        self, *, database: Database, clock: Clock, name: str, holder: str, seconds: float = LEAD_SECONDS
    ) -> None:
        self._database = database
        self._clock = clock
        self._name = name
        self._holder = holder
        self._seconds = seconds
        self._until = 0.0
        self._token: int | None = None

    @property
    def token(self) -> int | None:
        """The token while this holder leads, otherwise None."""
        return self._token if self._clock.monotonic() < self._until else None

    async def keep(self) -> bool:
        """Become or stay the leader unless another process leads; return True if it has just become the leader.

        Raises:
            Transient: the database does not answer; an earlier success counts until it expires.
        """
        before, asked_at = self.token, self._clock.monotonic()
        async with self._database.begin() as unit:
            self._token = await unit.leadership.lead(self._name, self._holder, self._seconds)
        self._until = asked_at + self._seconds
        return self._token is not None and self._token != before

    async def resign(self) -> None:
        """Release leadership, so that another process can lead at once."""
        token, self._token = self.token, None
        if token is not None:
            async with self._database.begin() as unit:
                await unit.leadership.resign(self._name, token)
