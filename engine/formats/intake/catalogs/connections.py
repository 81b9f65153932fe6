"""Connections of urllib3 to the server of a catalog, for the clients of all formats: bounded, and to checked addresses.

A server's name may resolve to a different address each time (DNS rebinding): each address is checked immediately before
it is connected to, so that nothing is sent to another one. The limits hold for a whole call (`engine.outgoing`).
"""

import socket
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from engine.outgoing.bounds import Bounded, CallLimits, CheckPeer, connected


def bounded_pools(check: CheckPeer, bounds: CallLimits) -> dict[str, type[HTTPConnectionPool]]:
    """Return urllib3's pools by scheme, whose connections keep the limits of each call.

    `check` raises for the forbidden address of a server, before it is connected to.
    """

    class Checked(Bounded):
        limits = bounds

        def _new_conn(self) -> socket.socket:
            try:
                return connected(self._dns_host, self.port, bounds.connect_seconds, check)  # type: ignore[attr-defined]
            except socket.gaierror as error:
                raise NameResolutionError(self.host, self, error) from error  # type: ignore[arg-type]
            except TimeoutError as error:
                raise ConnectTimeoutError(self, f"{self.host}: {error}") from error
            except OSError as error:
                raise NewConnectionError(self, f"{self.host}: {error}") from error  # type: ignore[arg-type]

    class CheckedHttp(Checked, HTTPConnection):
        pass

    class CheckedHttps(Checked, HTTPSConnection):
        pass

    class HttpPool(HTTPConnectionPool):
        ConnectionCls: Any = CheckedHttp

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls: Any = CheckedHttps

    return {"http": HttpPool, "https": HttpsPool}
