"""Scripts in a real Redis, called in-line: one round trip over its socket and nothing else, as it is done so often."""

from collections.abc import Sequence
from typing import Any, Final

import hiredis
from redis import Redis

_ANSWER_BYTES: Final = 65_536


class ScriptServer:
    """A connection to a Redis whose database is the simulation's own. Blocks for the tens of microseconds of a call."""

    def __init__(self, url: str, *, database: int) -> None:
        self._client = Redis.from_url(url, protocol=2)
        self._connection: Any = self._client.connection_pool.get_connection()
        self._connection.connect()
        self._socket = self._connection._sock
        self._reader = hiredis.Reader(encoding="utf-8")
        self._known: dict[str, str] = {}
        self._call("SELECT", database)  # said here, because a database that the URL names would win over an argument

    def run(self, text: str, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Run a script."""
        sha = self._known.get(text)
        if sha is None:
            sha = self._known[text] = self._call("SCRIPT", "LOAD", text)
        return self._call("EVALSHA", sha, len(keys), *keys, *arguments)

    def flush(self) -> None:
        """Forget all keys; scripts stay."""
        self._call("FLUSHDB")

    def close(self) -> None:
        """Close the connection."""
        self._connection.disconnect()
        self._client.close()

    def _call(self, *command: Any) -> Any:
        self._socket.sendall(hiredis.pack_command(command))
        while (answer := self._reader.gets()) is False:
            self._reader.feed(self._socket.recv(_ANSWER_BYTES))
        if isinstance(answer, Exception):
            raise answer
        return answer
