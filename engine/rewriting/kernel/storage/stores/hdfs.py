"""Files in HDFS through `hdfs-native`, an optional package of the executors, which needs neither Java nor libhdfs.

Name nodes are those of the path, of `hdfs.host` and `hdfs.port`, or of the configuration in `HADOOP_CONF_DIR`, which
also has what a client needs for high availability. The user is that of `HADOOP_USER_NAME` or of a Kerberos ticket.

A name node must be trusted: `hdfs-native` waits for its answers without a limit, allocates an answer by its length
prefix (up to 4 GiB), and connects to any address that it names as that of a data node. `use_name_nodes` restricts a
process to name nodes of the configuration, as paths come from tables.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid4
from xml.etree import ElementTree as ET

from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused
from engine.rewriting.kernel.storage.abandoned import while_awaited
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.stores.files import EXISTS

try:
    import hdfs_native
except ImportError:  # an executor without it
    hdfs_native = None  # type: ignore[assignment]

PREFIXES: Final = ("hdfs.",)
"""Prefixes of the names of the properties."""

_PATIENCE: Final = {
    "dfs.client.failover.max.attempts": "3",
    "dfs.client.failover.sleep.base.millis": "200",
    "dfs.client.failover.sleep.max.millis": "1000",
    "dfs.client.socket-timeout": "10000",
}
"""By default, a name node that refuses the connection is asked again for three minutes."""


_DEFAULT_PORT: Final = 8020
_name_nodes: frozenset[str] | None = None


def configured_name_nodes(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the name nodes of Hadoop's configuration in lower case, such as `nn.example:8020`; none without one.

    Args:
        environment: of the process. `HADOOP_CONF_DIR` is the folder, otherwise `etc/hadoop` below `HADOOP_HOME`.

    Raises:
        ValueError: a file of the configuration is not XML.
    """
    home = environment.get("HADOOP_HOME")
    folder = environment.get("HADOOP_CONF_DIR") or (f"{home}/etc/hadoop" if home else None)
    if folder is None:
        return frozenset()
    files = [Path(folder) / name for name in ("core-site.xml", "hdfs-site.xml")]
    settings = [each for file in files if file.exists() for each in _properties(file)]
    named = ((each.findtext("name", "").strip(), each.findtext("value", "").strip().lower()) for each in settings)
    return frozenset(_with_port(value) for name, value in named if _names_name_node(name, value))


def _properties(file: Path) -> Iterator[ET.Element]:
    try:
        return ET.parse(file).iter("property")  # noqa: S314 - the operator's own file
    except ET.ParseError as error:
        raise ValueError(f"{file} of Hadoop's configuration is not XML ({error}): correct the file") from error


def _names_name_node(name: str, value: str) -> bool:
    return f"{name}.".startswith("dfs.namenode.rpc-address.") or (
        name == "fs.defaultFS" and value.startswith("hdfs://")
    )


def _with_port(value: str) -> str:
    node = value.removeprefix("hdfs://").partition("/")[0]
    return node if ":" in node else f"{node}:{_DEFAULT_PORT}"


def use_name_nodes(allowed: frozenset[str] | None) -> None:
    """Refuse all other name nodes from now on, once at the start of a process. None allows all.

    A name without a port is that of a name service, which `hdfs-native` looks up in the configuration only.
    """
    global _name_nodes  # noqa: PLW0603 - connections are kept by the process
    _name_nodes = allowed


def is_here() -> bool:
    """Return whether `hdfs-native` is installed."""
    return hdfs_native is not None


class HdfsFiles:
    """The files of one HDFS."""

    is_remote = True
    requests_to_create = 1

    def __init__(self, client: Any, server: str) -> None:
        """Take a client and what names its server in errors."""
        self._client = client
        self._server = server

    def requests_to_open(self, file_bytes: int | None) -> int:  # noqa: ARG002 - it makes no difference here
        """Return 1: the name node is asked where the blocks are."""
        return 1

    def open(self, path: str, file_bytes: int | None) -> "HdfsFile":  # noqa: ARG002
        """Open for random access. Raises FileNotFoundError, StoreError."""
        with _errors(self._server):
            return HdfsFile(self._client.read(path), self._server)

    def read(self, path: str, offset: int, length: int | None) -> bytes:
        """Return up to `length` bytes from byte `offset`, without one all. Raises FileNotFoundError, StoreError."""
        file = self.open(path, None)
        return file.read(offset, file.size() if length is None else length)

    def create(self, path: str) -> "HdfsOutput":
        """Create a file that does not exist yet. Raises FileExistsError, StoreError."""
        with _errors(self._server):
            writer = self._client.create(path, _options(overwrite=False))
            return HdfsOutput(self._client, path, writer, self._server)

    def replace(self, path: str, data: bytes) -> None:
        """Write a whole file, also over one that exists: readers see the old one or the new one. Raises StoreError."""
        part = self._written_aside(path, data)
        try:
            with _errors(self._server):
                self._client.rename(part, path, overwrite=True)
        except StoreError:
            with suppress(FileNotFoundError, StoreError):
                self.delete(part)
            raise

    def _written_aside(self, path: str, data: bytes) -> str:
        """Write a file under a hidden name in the folder of a path, and return its path. Raises StoreError."""
        folder, _, name = path.rpartition("/")
        part = f"{folder}/.{name}.{uuid4()}.tmp"
        with _errors(self._server):
            writer = self._client.create(part, _options(overwrite=False))
            writer.write(data)
            writer.close()
        return part

    def publish(self, path: str, data: bytes) -> None:
        """Write a whole file that must not exist, and rename it to its name. Raises FileExistsError, StoreError."""
        part = self._written_aside(path, data)
        try:
            with _errors(self._server):
                self._client.rename(part, path, overwrite=False)
        except StoreError as error:
            if not self._exists(path):
                raise
            raise FileExistsError(EXISTS) from error
        finally:
            with suppress(FileNotFoundError, StoreError):
                self.delete(part)

    def _exists(self, path: str) -> bool:
        try:
            with _errors(self._server):
                self._client.get_file_info(path)
        except FileNotFoundError:
            return False
        return True

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError, StoreError."""
        with _errors(self._server):
            if not self._client.delete(path, False):
                raise FileNotFoundError(path)

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder; without `is_recursive` only those directly in it."""
        yield from (each.path for each in self._listed(folder, is_recursive) if not each.isdir)

    def listed(self, folder: str) -> Iterator[tuple[str, int, int]]:
        """Yield path, size and time (microseconds since 1970) of all files below a folder. Raises StoreError."""
        for each in self._listed(folder, True):
            if not each.isdir:
                yield each.path, each.length, each.modification_time * 1000

    def folders(self, folder: str) -> Iterator[str]:
        """Yield the paths of the folders directly in a folder. Raises StoreError."""
        yield from (each.path for each in self._listed(folder, False) if each.isdir)

    def _listed(self, folder: str, is_recursive: bool) -> Iterator[Any]:
        with _errors(self._server):
            try:
                yield from while_awaited(self._client.list_status(folder, is_recursive))
            except FileNotFoundError:
                return


class HdfsFile:
    """An open file. Several threads may read at once."""

    def __init__(self, reader: Any, server: str) -> None:
        self._reader = reader
        self._server = server
        self._bytes = len(reader)

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return self._bytes

    def read(self, offset: int, length: int) -> bytes:
        """Return at most `length` bytes from byte `offset`; fewer at the end of the file. Raises StoreError."""
        wanted = min(length, self._bytes - offset)
        with _errors(self._server):
            return bytes(self._reader.read_range(offset, wanted)) if wanted > 0 else b""

    def close(self) -> None:
        """Do nothing: connections are the client's."""


class HdfsOutput:
    """A file that is being written, and that only this task can have created."""

    exists = True
    is_repeatable = False

    def __init__(self, client: Any, path: str, writer: Any, server: str) -> None:
        self._client = client
        self._path = path
        self._writer = writer
        self._server = server

    def requests_to_write(self, length: int) -> int:  # noqa: ARG002 - blocks are of 128 MiB
        """Return 0: bytes flow to a data node."""
        return 0

    def write(self, data: memoryview) -> None:
        """Write all of `data`. Raises StoreError."""
        with _errors(self._server):
            self._writer.write(bytes(data))

    def requests_to_finish(self) -> int:
        """Return the number of requests that `finish` takes."""
        return 2

    def finish(self) -> int:
        """Complete the file and return the size that the name node has for it. Raises StoreError."""
        with _errors(self._server):
            self._writer.close()
            return int(self._client.get_file_info(self._path).length)

    def abandon(self) -> None:
        """Close the file, which is about to be deleted."""
        with _errors(self._server):
            self._writer.close()


def connect(place: str, properties: Mapping[str, str]) -> HdfsFiles:
    """Return the files of an HDFS. Nothing is sent yet.

    Args:
        place: as in `addresses.Address`: scheme and name node, which may be empty.
        properties: `hdfs.host`, `hdfs.port`, `hdfs.kerberos_ticket`.

    Raises:
        Refused: `unsupported_storage`, for a setting that can't be followed, or a name node that is not allowed.
    """
    if properties.get("hdfs.user"):
        raise Refused(UNSUPPORTED_STORAGE, "hdfs.user is not supported: set HADOOP_USER_NAME for executors and service")
    scheme, _, node = place.partition("://")
    if not node and properties.get("hdfs.host"):
        node = ":".join(filter(None, (properties["hdfs.host"], properties.get("hdfs.port"))))
    if _name_nodes is not None and ":" in node and node.lower() not in _name_nodes:
        raise Refused(
            UNSUPPORTED_STORAGE,
            f"{scheme}://{node}: its name node is not in Hadoop's configuration of the service, which a deployment "
            "with PACKHOUSE_MODE=production requires: name it in core-site.xml or hdfs-site.xml in HADOOP_CONF_DIR",
        )
    url = f"{scheme}://{node}" if node else None
    ticket = properties.get("hdfs.kerberos_ticket")
    try:
        client = hdfs_native.Client(url, dict(_PATIENCE), kerberos_cache=ticket)
        return HdfsFiles(client, url or "HDFS of Hadoop's configuration")
    except (RuntimeError, OSError) as error:
        raise Refused(UNSUPPORTED_STORAGE, f"{place}: {_first_line(error)}") from error


def _options(*, overwrite: bool) -> Any:
    return hdfs_native.WriteOptions(overwrite=overwrite, create_parent=True)


@contextmanager
def _errors(server: str) -> Iterator[None]:
    """Turn the errors of `hdfs-native` into `StoreError`, which names the server, without the traces of Java."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(_first_line(error)) from error
    except FileExistsError as error:
        raise FileExistsError(EXISTS) from error
    except (OSError, RuntimeError) as error:
        raise StoreError(f"{server}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].partition("\\n")[0]
