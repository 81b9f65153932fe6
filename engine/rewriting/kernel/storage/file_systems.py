"""The stores of a table's paths: local files and S3, by the properties that PyIceberg uses.

Only files below the folders that the task names are opened, created or deleted; any other path is refused before the
storage is asked: manifests are written by others and may name any file that the credentials reach.

A path is used as in the manifest and is never percent-decoded: `%20` in a Hadoop path is three characters of a name.
Limits: other schemes (`gs`, `abfs`, `hdfs`) are refused. Large outputs in S3, and all of them through Arrow, are not
created exclusively: the name is looked up before it is written; names that carry run, group and attempt make it enough.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.rewriting.kernel.errors import OUTSIDE_FILES, UNSUPPORTED_STORAGE, Refused
from engine.rewriting.kernel.storage import arrow_files, object_stores
from engine.rewriting.kernel.storage.files import Files
from engine.rewriting.kernel.storage.places import Places

_S3_SCHEMES: Final = frozenset({"s3", "s3a", "s3n"})


def split_scheme(uri: str) -> tuple[str, str]:
    """Return (`file`, absolute path) or (`s3`, `bucket/key`).

    `file:/x`, `file:///x`, `file://localhost/x` and `/x` are one path; `s3`, `s3a` and `s3n` are one scheme.

    Raises:
        Refused: `unsupported_storage`, for any other scheme.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or "/" in scheme:
        return "file", uri
    if scheme.lower() in _S3_SCHEMES:
        return "s3", rest.lstrip("/")
    if scheme.lower() == "file":
        return "file", "/" + rest.removeprefix("//localhost").lstrip("/")
    raise Refused(UNSUPPORTED_STORAGE, f"{uri}: scheme {scheme!r} is neither file nor s3")


def canonical(uri: str) -> str:
    """Return one spelling for all spellings of a path, for comparing only. Raises as `split_scheme`."""
    scheme, path = split_scheme(uri)
    return f"{scheme}:{path}"


class Storage:
    """Opens, creates and deletes files below `places` by their paths. Connections are made on first use and kept.

    Every method that takes a path of a file raises `Refused` (`outside_files`, `unsupported_storage`) for one that is
    not below `places` or of an unknown scheme.
    """

    def __init__(self, *, properties: Mapping[str, str], places: Sequence[str]) -> None:
        self._properties = properties
        self._places = Places(places)
        self._stores: dict[str, Files] = {}

    def check(self, uri: str) -> None:
        """Raise `Refused` for a path that is not below the folders of the task."""
        if not self._places.cover(uri):
            raise Refused(OUTSIDE_FILES, f"{uri} is not below {self._places}")

    def is_remote(self, uri: str) -> bool:
        """Return whether reading a file takes requests over a network."""
        return split_scheme(uri)[0] != "file"

    def find(self, uri: str) -> "tuple[Files, str]":
        """Return the store of a file, and the file's path in it."""
        self.check(uri)
        scheme, path = split_scheme(uri)
        if scheme == "file":
            if scheme not in self._stores:
                self._stores[scheme] = arrow_files.local()
            return self._stores[scheme], path
        bucket, _, key = path.partition("/")
        if bucket not in self._stores:
            self._stores[bucket] = object_stores.s3(bucket, self._properties) or arrow_files.s3(self._properties)
        store = self._stores[bucket]
        return store, path if isinstance(store, arrow_files.ArrowFiles) else key

    def delete(self, uri: str) -> None:
        """Delete a file; a missing file is not an error."""
        store, path = self.find(uri)
        try:
            store.delete(path)
        except FileNotFoundError:
            return
