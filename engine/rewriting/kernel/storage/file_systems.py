"""Arrow file systems for the paths of a table: local files and S3, by the properties that PyIceberg uses.

Only files below the folders that the task names are opened, created or deleted; any other path is refused before the
storage is asked: manifests are written by others and may name any file that the credentials reach.

A path is used as in the manifest and is never percent-decoded: `%20` in a Hadoop path is three characters of a name.
Limits: other schemes (`gs`, `abfs`, `hdfs`) are refused. S3 has no exclusive creation through Arrow: there the name is
looked up before it is written, which is not atomic; names that carry run, group and attempt make it enough.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow.fs as pafs

from engine.rewriting.kernel.errors import OUTSIDE_FILES, UNSUPPORTED_STORAGE, OutputFault, Refused
from engine.rewriting.kernel.storage.places import Places

_S3_SCHEMES: Final = frozenset({"s3", "s3a", "s3n"})
_S3_TEXTS: Final = {
    "access_key": ("s3.access-key-id", "client.access-key-id"),
    "secret_key": ("s3.secret-access-key", "client.secret-access-key"),
    "session_token": ("s3.session-token", "client.session-token"),
    "region": ("s3.region", "client.region"),
    "role_arn": ("s3.role-arn", "client.role-arn"),
    "session_name": ("s3.role-session-name", "client.role-session-name"),
    "endpoint_override": ("s3.endpoint",),
    "proxy_options": ("s3.proxy-uri",),
}
_S3_SECONDS: Final = {"connect_timeout": "s3.connect-timeout", "request_timeout": "s3.request-timeout"}
_S3_SWITCHES: Final = {"force_virtual_addressing": "s3.force-virtual-addressing", "anonymous": "s3.anonymous"}


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
        self._systems: dict[str, pafs.FileSystem] = {}

    def check(self, uri: str) -> None:
        """Raise `Refused` for a path that is not below the folders of the task."""
        if not self._places.cover(uri):
            raise Refused(OUTSIDE_FILES, f"{uri} is not below {self._places}")

    def is_remote(self, uri: str) -> bool:
        """Return whether opening a file costs a request of its own."""
        return split_scheme(uri)[0] != "file"

    def open_input(self, uri: str) -> Any:
        """Open for random access. Raises FileNotFoundError, OSError."""
        system, path = self._locate(uri)
        return system.open_input_file(path)

    def file_bytes(self, uri: str) -> int:
        """Return the size in bytes. Raises FileNotFoundError."""
        system, path = self._locate(uri)
        size = system.get_file_info(path).size
        if size is None:
            raise FileNotFoundError(uri)
        return int(size)

    def create(self, uri: str) -> Any:
        """Create a file that does not exist yet and open it for writing.

        Raises:
            OutputFault: a file of that name exists; it is left alone.
        """
        system, path = self._locate(uri)
        if isinstance(system, pafs.LocalFileSystem):
            _reserve(uri, path)
        elif system.get_file_info(path).type != pafs.FileType.NotFound:
            raise OutputFault(f"{uri}: exists already, written by another attempt")
        return system.open_output_stream(path)

    def delete(self, uri: str) -> None:
        """Delete a file; a missing file is not an error."""
        system, path = self._locate(uri)
        try:
            system.delete_file(path)
        except FileNotFoundError:
            return

    def _locate(self, uri: str) -> tuple[pafs.FileSystem, str]:
        self.check(uri)
        scheme, path = split_scheme(uri)
        if scheme not in self._systems:
            local = scheme == "file"
            self._systems[scheme] = pafs.LocalFileSystem() if local else _s3(self._properties)
        return self._systems[scheme], path


def _reserve(uri: str, path: str) -> None:
    """Create a local file exclusively, so that the stream that Arrow opens next truncates only the task's own file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - a string that may contain any character
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError as error:
        raise OutputFault(f"{uri}: exists already, written by another attempt") from error


def _s3(properties: Mapping[str, str]) -> pafs.FileSystem:
    """Connect to S3. `allow_delayed_open` sends a small output as one request instead of three."""
    options: dict[str, Any] = {"allow_delayed_open": True}
    for option, names in _S3_TEXTS.items():
        value = next((properties[name] for name in names if properties.get(name)), None)
        options |= {} if value is None else {option: value}
    options |= {option: float(properties[name]) for option, name in _S3_SECONDS.items() if name in properties}
    options |= {option: properties[name] == "true" for option, name in _S3_SWITCHES.items() if name in properties}
    return pafs.S3FileSystem(**options)
