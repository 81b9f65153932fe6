"""Tokens with which a running task reports to the pace channel: signed, good for one attempt of one run only."""

from collections.abc import Sequence

from itsdangerous import BadSignature, URLSafeTimedSerializer

from engine.domain.errors import Unauthenticated
from engine.domain.ids import RunId

MAX_AGE_SECONDS = 7 * 24 * 3600
_MAX_CHARACTERS = 512


class PaceTokens:
    """Issues and reads pace tokens. `secret_keys` are the deployment's: all verify tokens, the last one signs them."""

    def __init__(self, *, secret_keys: Sequence[str]) -> None:
        self._serializer = URLSafeTimedSerializer(list(secret_keys), salt="packhouse.pace")

    def issue(self, run_id: RunId, attempt: int) -> str:
        """Return a token for the tasks of one attempt."""
        return self._serializer.dumps([run_id, attempt])

    def read(self, token: str) -> tuple[RunId, int]:
        """Return the run and attempt of a token; raise `Unauthenticated` if it was not issued here.

        The signature is checked before any part of the token is decoded or decompressed.
        """
        if len(token) > _MAX_CHARACTERS:
            raise Unauthenticated(f"a pace token has at most {_MAX_CHARACTERS} characters")
        try:
            run_id, attempt = self._serializer.loads(token, max_age=MAX_AGE_SECONDS)
        except BadSignature:
            raise Unauthenticated("the pace token is not valid for any run") from None
        return RunId(run_id), int(attempt)
