"""The canonical form of a location: scheme, authority and the parts of its path, the same for all of its spellings.

`s3`, `s3a` and `s3n` are one scheme, as are `gs` and `gcs`, and those of Azure; schemes, buckets and hosts are compared
in lower case; the two hosts of an account in Azure are one; repeated slashes and those at the end do not count.

Allow-lists compare these forms as they are. Overlaps compare them percent-decoded, as some clients decode a path and
others do not: a location too many overlaps then, and none too few.
"""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import unquote

from engine.rewriting.kernel.storage.places import ONE_STORE

AZURE: Final = frozenset({"abfs", "abfss", "wasb", "wasbs"})
"""Schemes with an account: `container@account.host`, or `container` with the account in the catalog's properties."""

_ONE_STORE: Final = {**ONE_STORE, **dict.fromkeys(AZURE, "abfs")}
_URI: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#\\]*))?(.*)", re.DOTALL)
_ACCOUNT: Final = re.compile(r"(.+@[a-z0-9]+)\.(?:dfs|blob)\.(.+)")
_MOST_DECODINGS: Final = 4
_WILDCARDS: Final = re.compile(r"([\\%_])")


@dataclass(frozen=True, slots=True)
class Place:
    """A location in its canonical form."""

    scheme: str
    authority: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, location: str) -> Self | None:
        """Return the canonical form; None for a text that is no absolute location."""
        scheme, authority, path = uri_parts(location)
        if scheme in {"", "file"}:
            if authority not in {"", "localhost"} or not path.startswith("/"):
                return None
            return cls("file", "", _parts_of(path))
        if not authority:
            return None
        one, host = _ONE_STORE.get(scheme, scheme), authority.lower()
        if one == "abfs" and (matched := _ACCOUNT.fullmatch(host)) is not None:
            host = f"{matched[1]}.{matched[2]}"
        return cls(one, host, _parts_of(path))

    def covers(self, other: "Place") -> bool:
        """Return whether the other location is this one or below it."""
        return _is_one_store(self, other) and other.parts[: len(self.parts)] == self.parts

    def overlaps(self, other: "Place") -> bool:
        """Return whether one of two locations may be the other, or be below it, in some client's reading."""
        mine, theirs = _decoded(self.parts), _decoded(other.parts)
        shared = min(len(mine), len(theirs))
        return _is_one_store(self, other) and mine[:shared] == theirs[:shared]

    def patterns(self) -> tuple[str, ...]:
        """Return patterns of `LIKE`, with a backslash before literal wildcards, that overlapping locations match.

        They are for locations in lower case in which each run of slashes is one. Others can match as well, and
        percent-encoded ones do not.
        """
        container = _literal(self.authority.partition("@")[0])
        authority = f"{container}%" if self.scheme == "abfs" else container
        roots = ("file:", "") if self.scheme == "file" else (f"%:/{authority}",)
        found: list[str] = []
        parts = _decoded(self.parts)
        for root in roots:
            for depth in range(len(parts) + 1):
                folder = "".join(f"/{_literal(part)}" for part in parts[:depth])
                found += [f"{root}{folder}", f"{root}{folder}/"]
            found.append(f"{found[-1]}%")
        return tuple(found)


def uri_parts(location: str) -> tuple[str, str, str]:
    """Return the scheme in lower case, the authority and the path of a location, each as far as it has them."""
    match = _URI.fullmatch(location)
    scheme, authority, path = match.groups() if match else (None, None, location)
    return (scheme or "").lower(), authority or "", path


def _is_one_store(one: Place, other: Place) -> bool:
    if one.scheme != other.scheme:
        return False
    if one.scheme != "abfs" or ("@" in one.authority) is ("@" in other.authority):
        return one.authority == other.authority
    return one.authority.partition("@")[0] == other.authority.partition("@")[0]  # the account may be the same


def _decoded(parts: tuple[str, ...]) -> tuple[str, ...]:
    path = "/".join(parts)
    for _ in range(_MOST_DECODINGS):
        path = unquote(path)
    return _parts_of(path)


def _parts_of(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)


def _literal(text: str) -> str:
    return _WILDCARDS.sub(r"\\\1", text)
