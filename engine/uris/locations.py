"""The canonical form of a location: one value for all spellings of a file or folder in a store.

| part | canonical form |
| --- | --- |
| scheme | lower case, one for all aliases (`schemes.SCHEMES`): `s3a:` → `s3:`, `gcs:` → `gs:`, `wasbs:` → `abfs:` |
| bucket | as written, lower case in Google Cloud Storage: some old buckets of S3 have upper case letters |
| Azure | `container@account.endpoint` in lower case, without the first `dfs.` or `blob.`, and without port 443 |
| HDFS | the host as `hosts.canonical_host`, without port 8020; none is the one of the client's configuration |
| local | `/x`, `file:/x` and `file:///x` are `file:/x`; a host is refused, which readers ignore or take for a folder |
| path | without slashes at the end; repeated slashes are one where the store takes them for one; not percent-decoded |

A text that clients read as different locations has no canonical form: `.` and `..`, also percent-encoded, control
characters, a user before a host, a port of a bucket, letters outside of ASCII in a host, `viewfs:`.

Two questions are answered, each safe in its direction. `covers`: certainly the same or below, for what is allowed.
`overlaps`: possibly the same, below or around, for what is forbidden.

Limits of `overlaps`: a workspace of OneLake can be written by its name or its id; a DNS name that is an alias of an S3
bucket in a store of one's own; different upper case and Unicode forms on local disks that ignore them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self
from urllib.parse import unquote

from engine.uris.hosts import canonical_server
from engine.uris.schemes import AZURE, FILE, GOOGLE, HDFS, OBJECT_STORES, S3, S3_PROTOCOL, SCHEMES

_SEPARATOR: Final = r"(?:[/\\]|%(?:25)*(?:2f|2F|5c|5C))"
UNCLEAR: Final = rf"[\x00-\x1f\x7f]|{_SEPARATOR}(?:\.|%(?:25)*(?:2e|2E)){{1,2}}(?:{_SEPARATOR}|$)"
"""A regular expression (of Python and of RE2) for what makes a path unclear: control characters, `.` and `..`."""

_UNCLEAR: Final = re.compile(UNCLEAR)
_URI: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#\\]*))?(.*)", re.DOTALL)
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_CONTAINER: Final = re.compile(r"\$?[a-z0-9][a-z0-9-]*")
_ALIAS: Final = re.compile(r".*(?:-s3alias|--ol-s3|\.mrap)")
"""Names of access points, which can be used in place of the name of a bucket. No bucket may end in the first two."""

_OF_ACCOUNT: Final = re.compile(
    r"([^.:]+)\.(?:[^:]*\.)?(?:core\.windows\.net|core\.chinacloudapi\.cn|core\.usgovcloudapi\.net"
    r"|storage\.azure\.net|fabric\.microsoft\.com)"
)
_DOUBLED: Final = re.compile("/{2,}")
_SERVICE: Final = re.compile(r"\.(?:dfs|blob)\.")
_LONGEST_AUTHORITY: Final = 512
_NAME_NODE_PORT: Final = "8020"
_HTTPS_PORT: Final = "443"
_MOST_DECODINGS: Final = 4
_ANY: Final = ""


@dataclass(frozen=True, slots=True)
class Location:
    """A location in its canonical form; `str()` of it is a URI.

    Attributes:
        scheme: one of `SCHEMES.values()`.
        authority: bucket, `container@account.endpoint`, container, or name node; empty for local files.
        path: begins with a slash and ends without one; empty for the root.
    """

    scheme: str
    authority: str
    path: str

    @classmethod
    def of(cls, uri: str) -> Self | None:
        """Return the canonical form; None for a text that is not an absolute location, or has no canonical form."""
        scheme, authority, path = split_uri(uri)
        if not (path.startswith("/") or (authority and not path)) or len(authority or "") > _LONGEST_AUTHORITY:
            return None
        store = _store_of(scheme or FILE, authority)
        if store is None or not _is_clear(path):
            return None
        if "//" in path and store[0] not in OBJECT_STORES:
            path = _DOUBLED.sub("/", path)
        return cls(*store, path.rstrip("/"))

    def __str__(self) -> str:
        """Return the location as a URI."""
        return f"file:{self.path or '/'}" if self.scheme == FILE else f"{self.scheme}://{self.authority}{self.path}"

    def covers(self, other: "Location") -> bool:
        """Return whether the other location is certainly this one or below it."""
        return (
            self.scheme == other.scheme
            and self.authority == other.authority
            and f"{other.path}/".startswith(f"{self.path}/")
        )

    def overlaps(self, other: "Location") -> bool:
        """Return whether one of the two may be the other, or be below it, for some client."""
        mine, theirs = self.parts, other.parts
        shared = min(len(mine), len(theirs))
        return may_be_one(self.store, other.store) and mine[:shared] == theirs[:shared]

    def prefixes(self, limit: int) -> Iterator["Location"]:
        """Yield the folders around this location and itself, the outermost first, at most `limit`."""
        ends = [at for at, letter in enumerate(self.path) if letter == "/"] + ([len(self.path)] if self.path else [])
        for end in (ends or [0])[:limit]:
            yield Location(self.scheme, self.authority, self.path[:end])

    @property
    def store(self) -> tuple[str, str, str]:
        """Kind, name and account of the store, for `may_be_one`; what is empty can be any.

        An HDFS is known by the names of its name nodes, their addresses, and its nameservice: it has no name here. At
        Azure's own hosts, the account is the first part of the name, in its second region with a suffix.
        """
        if self.scheme in S3_PROTOCOL:
            name = self.authority.lower()
            return S3, _ANY if _ALIAS.fullmatch(name) else name, _ANY
        if self.scheme == AZURE:
            container, _, host = self.authority.partition("@")
            account = _OF_ACCOUNT.fullmatch(host)
            return AZURE, container, _ANY if account is None else account[1].removesuffix("-secondary")
        return self.scheme, _ANY if self.scheme == HDFS else self.authority, _ANY

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the path, percent-decoded as often as it can be: some clients decode a path, others do not."""
        path = self.path
        for _ in range(_MOST_DECODINGS):
            if "%" not in path:
                break
            path = unquote(path)
        return tuple(part for part in path.split("/") if part)


def may_be_one(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
    """Return whether two values of `Location.store` may be of one store."""
    return one[0] == other[0] and all(a == b or not a or not b for a, b in zip(one[1:], other[1:], strict=True))


def split_uri(uri: str) -> tuple[str, str | None, str]:
    """Return scheme (lower case, may be empty), authority (None without `//`), and path, as they are written."""
    match = _URI.fullmatch(uri)
    scheme, authority, path = match.groups() if match else (None, None, uri)
    return (scheme or "").lower(), authority, path


def _is_clear(path: str) -> bool:
    """Return whether a path has nothing of `UNCLEAR`; millions of paths are decided without the slow expression."""
    if path.isprintable() and "/." not in path and "%" not in path and "\\" not in path:
        return True
    return _UNCLEAR.search(path) is None


@lru_cache(maxsize=4096)
def _store_of(scheme: str, authority: str | None) -> tuple[str, str] | None:
    """Return the canonical scheme and authority; None if there are none."""
    one = SCHEMES.get(scheme)
    if one == FILE:
        return None if authority else (FILE, "")
    if one == HDFS and authority == "":  # the name node of the client's configuration
        return HDFS, ""
    if one is None or not authority:
        return None
    if one == HDFS:
        found = canonical_server(authority, without=_NAME_NODE_PORT)
    elif one == AZURE:
        found = _container(authority)
    elif _BUCKET.fullmatch(authority) is None:
        found = None
    else:
        found = authority.lower() if one == GOOGLE else authority
    return None if found is None else (one, found)


def _container(authority: str) -> str | None:
    container, at, server = authority.lower().partition("@")
    if not authority.isascii() or _CONTAINER.fullmatch(container) is None:
        return None
    host = canonical_server(server, without=_HTTPS_PORT) if at else ""
    if host is None:
        return None
    return f"{container}@{_SERVICE.sub('.', host, count=1)}" if at else container
