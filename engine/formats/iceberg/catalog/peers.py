"""HTTP connections that check the address of their server after connecting and before anything is sent.

The name of a server may resolve to another address each time it is asked for (DNS rebinding): only the address of the
open socket is the one that credentials go to.
"""

import socket
from collections.abc import Callable
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

CheckPeer = Callable[[str], None]
"""Raises `InvalidInput` for the address of a server that must not be talked to."""


def checked_pools(check: CheckPeer) -> dict[str, type[HTTPConnectionPool]]:
    """Return urllib3's pools by scheme, with connections for which `check` is asked with the address of the server.

    `check` raises for an address that must not be talked to; the connection is closed then.
    """

    class Checked:
        def _new_conn(self) -> socket.socket:
            made: socket.socket = super()._new_conn()  # type: ignore[misc]
            try:
                check(made.getpeername()[0])
            except BaseException:
                made.close()
                raise
            return made

    class CheckedHttp(Checked, HTTPConnection):
        pass

    class CheckedHttps(Checked, HTTPSConnection):
        pass

    class HttpPool(HTTPConnectionPool):
        ConnectionCls: Any = CheckedHttp

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls: Any = CheckedHttps

    return {"http": HttpPool, "https": HttpsPool}
