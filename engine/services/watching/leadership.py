"""Leading, as one process sees it: it knows until when it leads for certain, also while the database is away."""

from typing import Final

from engine.domain.clock import Clock
from engine.stores.database import Database

LEAD_SECONDS: Final = 15.0
"""A leader that is silent for so long is followed by another."""


class Leadership:
    """One holder's try at one leadership."""

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
        """The token while this holder leads, else None."""
        return self._token if self._clock.monotonic() < self._until else None

    async def keep(self) -> bool:
        """Begin or go on leading, if nobody else does; return True when it has just begun.

        Raises:
            Transient: the database does not answer; an earlier success counts until its time is over.
        """
        before, asked_at = self.token, self._clock.monotonic()
        async with self._database.begin() as unit:
            self._token = await unit.leadership.lead(self._name, self._holder, self._seconds)
        self._until = asked_at + self._seconds
        return self._token is not None and self._token != before

    async def resign(self) -> None:
        """Let another lead at once."""
        token, self._token = self.token, None
        if token is not None:
            async with self._database.begin() as unit:
                await unit.leadership.resign(self._name, token)
