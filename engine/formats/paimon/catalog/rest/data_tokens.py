"""Tokens of a REST catalog for the files of one table (`data-token.enabled`), as properties of its store.

The server is not trusted with more than its tables: a token replaces the catalog's own credentials for S3 completely,
and names an address only of a host that the owner allows (`intake.catalogs.vended`). Tokens for OSS are refused, as
files in OSS are.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from engine.domain.errors import NotEligible
from engine.formats.intake.catalogs.vended import vended
from engine.formats.intake.errors import printable
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.catalog.rest.client import RestClient

_SAFE_MS: Final = 3_600_000
"""A token with less time left is asked for again, as in Paimon."""

_MOST_KEPT: Final = 10_000
_LONGEST: Final = 16 * 2**10
_PREFIX: Final = re.compile(r"(?:fs\.)?s3a?\.")
_OSS: Final = "fs.oss."
_NAMES: Final = {
    "access.key": "s3.access-key-id",
    "secret.key": "s3.secret-access-key",
    "session.token": "s3.session-token",
    "endpoint": "s3.endpoint",
    "endpoint.region": "s3.region",
    "region": "s3.region",
}
"""Options of Paimon's file system for S3, without their prefix and with points, and the properties that they are."""


@dataclass(frozen=True, slots=True)
class _Token:
    properties: Mapping[str, str]
    expires_at_ms: int


class DataTokens:
    """The tokens of one catalog's tables, kept until an hour before their end. Thread-safe.

    `own`: the catalog's properties of stores. `hosts`: those of stores that tokens may name.
    """

    def __init__(self, client: RestClient, own: Mapping[str, str], hosts: Sequence[str]) -> None:
        self._client, self._own, self._hosts = client, own, hosts
        self._kept: OrderedDict[str, _Token] = OrderedDict()
        self._lock = Lock()

    def properties(self, path: str) -> Mapping[str, str]:
        """Return the properties of the store for the table whose requests have a path.

        Raises:
            NotEligible: its token is not for S3.
            StateConflict: its token is not complete, or names a host that is not allowed.
            NoSuch, NotAllowed, StateConflict, Away, Malformed: as `RestClient`.
        """
        now = time.time() * 1000
        with self._lock:
            kept = self._kept.get(path)
        if kept is None or kept.expires_at_ms - now < _SAFE_MS:
            kept = self._asked(path)
            with self._lock:
                self._kept[path] = kept
                while len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
        return kept.properties

    def _asked(self, path: str) -> _Token:
        answer = self._client.get(f"{path}/token")
        told, until = answer.text_map("token"), answer.whole("expiresAtMillis", least=0)
        if sum(len(name) + len(value) for name, value in told.items()) > _LONGEST:
            raise Malformed(f"its token is longer than {_LONGEST} characters")
        found = {_NAMES[name]: value for key, value in told.items() if (name := _bare(key)) in _NAMES}
        if not {"s3.access-key-id", "s3.secret-access-key"} & found.keys():
            raise NotEligible(_refusal(told))
        return _Token(vended(found, self._own, hosts=self._hosts), until)


def _bare(name: str) -> str:
    matched = _PREFIX.match(name)
    return "" if matched is None else name[matched.end() :].replace("-", ".")


def _refusal(told: Mapping[str, str]) -> str:
    if any(name.startswith(_OSS) for name in told):
        return (
            "the catalog gives a token for OSS, whose files this version does not read: only tables in S3 can be kept"
        )
    names = printable(", ".join(sorted(told))[:200])
    return f"the catalog gives a token without keys for S3, but {names or 'nothing'}; leave out data-token.enabled"
