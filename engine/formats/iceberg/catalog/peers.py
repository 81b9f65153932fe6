"""HTTP connections that check the address of their server after connecting and before anything is sent.

A server's name may resolve to a different address each time (DNS rebinding): only the address of the open socket is the
one to which credentials are sent.
"""

import socket
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from engine.formats.intake.permissions import CheckPeer


def checked_pools(check: CheckPeer) -> dict[str, type[HTTPConnectionPool]]:
    """Return urllib3's pools by scheme, whose connections call `check` with the address of the server.

    `check` raises for a forbidden address; the connection is then closed.
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
