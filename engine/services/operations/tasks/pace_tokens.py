"""Tokens of running tasks for the pace channel: signed, good for one attempt of one run, and for minutes.

A token is good for `VALID_SECONDS`; then only while its attempt is at work (`RenewalService.admit`), so that a task
which waited for Spark can begin. Each answer to an older token than `RENEWED_SECONDS` has a new one.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from itsdangerous import BadSignature, URLSafeTimedSerializer

from engine.domain.errors import Unauthenticated
from engine.domain.ids import RunId

VALID_SECONDS: Final = 600
RENEWED_SECONDS: Final = 120
RENEWABLE_SECONDS: Final = 7 * 24 * 3600
_MAX_CHARACTERS: Final = 512


@dataclass(frozen=True, slots=True)
class TaskToken:
    """A token that was read: the attempt of whose tasks it is, and its age."""

    run_id: RunId
    attempt: int
    age_seconds: float = 0.0

    @property
    def is_valid(self) -> bool:
        """Whether it is good on its own, whatever the state of the run."""
        return self.age_seconds <= VALID_SECONDS


class PaceTokens:
    """Issues and reads pace tokens. `secret_keys` are the deployment's: all verify tokens, the last one signs them."""

    def __init__(self, *, secret_keys: Sequence[str]) -> None:
        self._serializer = URLSafeTimedSerializer(list(secret_keys), salt="packhouse.pace")

    def issue(self, run_id: RunId, attempt: int) -> str:
        """Return a token for the tasks of one attempt."""
        return self._serializer.dumps([run_id, attempt])

    def renewed(self, token: TaskToken) -> str | None:
        """Return a new token in place of one that is not new any more; None: it is."""
        return self.issue(token.run_id, token.attempt) if token.age_seconds > RENEWED_SECONDS else None

    def read(self, token: str) -> TaskToken:
        """Return the content of a token; raise `Unauthenticated` if it was not issued here, or a week ago.

        The signature is checked before any part of the token is decoded or decompressed.
        """
        if len(token) > _MAX_CHARACTERS:
            raise Unauthenticated(f"a pace token has at most {_MAX_CHARACTERS} characters")
        try:
            (run_id, attempt), at = self._serializer.loads(token, max_age=RENEWABLE_SECONDS, return_timestamp=True)
        except BadSignature:
            raise Unauthenticated("the pace token is not valid for any run") from None
        return TaskToken(RunId(run_id), int(attempt), time.time() - at.timestamp())
