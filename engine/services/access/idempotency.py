"""Answers stored by idempotency key for 24 hours: a repeated request changes nothing and gets the first answer.

The answer is stored in the transaction of the change. A request that makes its change later than another sending of it
is rolled back and gets the answer of that one. The coordinator removes expired answers.

Hazard: calls to catalogs are not part of the transaction. The keyed requests only read there, so a repeat reads again.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Final, Generic, TypeVar

from engine.domain.access.keyed_requests import KeyedRequest, StoredAnswer
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

KEPT_FOR: Final = timedelta(hours=24)
T = TypeVar("T")


class AnswerRecord(Generic[T]):
    """The answer of one request, made from the result of its change.

    `request`: the key under which the answer is stored with the change; None: it is not stored.
    """

    def __init__(self, make: Callable[[T], StoredAnswer], request: KeyedRequest | None) -> None:
        self._make = make
        self._answer: StoredAnswer | None = None
        self.request = request

    def make(self, result: T) -> StoredAnswer:
        """Make the answer from the result of the change and return it."""
        self._answer = self._make(result)
        return self._answer

    async def store(self, unit: UnitOfWork, result: T) -> None:
        """Make the answer, and store it if the request has a key; call it last in the transaction of the change.

        Raises:
            Superseded: another sending of the request was answered or refused first.
        """
        answer = self.make(result)
        if self.request is not None:
            await unit.idempotency.insert_many([(self.request, answer)])

    @property
    def answer(self) -> StoredAnswer:
        """The answer that was made."""
        if self._answer is None:
            raise RuntimeError("the service did not make the answer of its change")
        return self._answer


class IdempotencyService:
    """Finds stored answers and counts refusals."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def find(self, request: KeyedRequest) -> StoredAnswer | KeyedRequest:
        """Return the stored answer of a request; without one the request, to be processed now.

        Raises:
            InvalidInput: a request with another body was answered under this key.
        """
        async with self._database.read() as unit:
            return await unit.idempotency.find(request)

    async def refuse(self, request: KeyedRequest) -> StoredAnswer | None:
        """Make a refusal final: sendings of the request that began before it change nothing any more.

        Return the stored answer if another sending of the request was answered first: it is the answer of this one.

        Raises:
            InvalidInput: as `find`.
        """
        async with self._database.begin() as unit:
            await unit.idempotency.refuse(request)
            found = await unit.idempotency.find(request)
        return found if isinstance(found, StoredAnswer) else None
