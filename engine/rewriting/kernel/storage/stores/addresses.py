"""Paths of files taken apart: the kind of store, the bucket or container in it, and the name of the object.

A path is used as in the manifest and is never percent-decoded: `%20` in a Hadoop path is three characters of a name.
"""

from dataclasses import dataclass
from typing import Final

from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused
from engine.uris.schemes import AZURE, FILE, GOOGLE, HDFS, S3, SCHEMES

_KINDS: Final = {name: kind for name, kind in SCHEMES.items() if kind in {FILE, S3, GOOGLE, AZURE, HDFS}}


@dataclass(frozen=True, slots=True)
class Address:
    """A file in a store.

    `place` is the bucket in S3 and Google Cloud Storage, `container@host` or `container` in Azure, the name node (may
    be empty) with its scheme in HDFS, and empty for local files. `path` is absolute for local files and in HDFS, and
    the name of an object elsewhere.
    """

    kind: str
    place: str
    path: str


def address_of(uri: str) -> Address:
    """Return the address of a file.

    `file:/x`, `file:///x`, `file://localhost/x` and `/x` are one path; `s3`, `s3a` and `s3n` are one scheme, as are
    `gs` and `gcs`.

    Raises:
        Refused: `unsupported_storage`, for a scheme of no supported store.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or "/" in scheme:
        return Address(FILE, "", uri)
    kind = _KINDS.get(scheme.lower())
    if kind is None:
        supported = ", ".join(sorted(_KINDS))
        raise Refused(UNSUPPORTED_STORAGE, f"{uri}: scheme {scheme!r} is none of {supported}")
    if kind == FILE:
        return Address(FILE, "", "/" + rest.removeprefix("//localhost").lstrip("/"))
    place, _, path = rest.removeprefix("//").partition("/")
    return Address(HDFS, f"{scheme.lower()}://{place}", f"/{path}") if kind == HDFS else Address(kind, place, path)


def has_empty_part(uri: str) -> bool:
    """Return whether the name of an object has two slashes in a row: some clients drop one, others refuse the name.

    False for files of other stores, in which both slashes are one.
    """
    try:
        found = address_of(uri)
    except Refused:
        return False
    return found.kind in {S3, GOOGLE, AZURE} and "//" in f"/{found.path}"


def file_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def canonical(uri: str) -> str:
    """Return one spelling for all spellings of a path, for comparing only. Raises as `address_of`."""
    found = address_of(uri)
    return f"{found.kind}:{found.place}/{found.path}" if found.place else f"{found.kind}:{found.path}"
