"""The command `packhouse-server health`: asks the process of this container or machine whether it answers.

Container engines run it every few seconds, so it imports little.
"""

import argparse
import http.client
import sys
from collections.abc import Sequence
from typing import Final

from engine.domain.errors import PackhouseError, Transient
from engine.settings.model import Settings
from engine.settings.reading import read_settings

HEALTH: Final = "health"
"""The name of the command."""

_SECONDS: Final = 2.0
_OK: Final = 200
_EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - as a client reaches it


def main(arguments: Sequence[str]) -> int:
    """Ask, print the answer, and return the exit status."""
    parser = argparse.ArgumentParser(prog=f"packhouse-server {HEALTH}", description=__doc__)
    parser.add_argument("--ready", action="store_true", help="the api must reach its database as well")
    given = parser.parse_args(arguments)
    try:
        found = check_health(read_settings(), ready=given.ready)
    except PackhouseError as error:
        sys.stderr.write(f"packhouse-server {HEALTH}: {error}\n")
        return 1
    sys.stdout.write(f"{found}\n")
    return 0


def check_health(settings: Settings, *, ready: bool) -> str:
    """Return which address answered, the port of the api before that of a worker's or coordinator's metrics.

    `ready`: the api must reach its database as well (`/readyz`).

    Raises:
        Transient: none answered within two seconds, or one is not well.
    """
    ports = [each for each in (settings.port, None if ready else settings.metrics_port) if each]
    problems = []
    for port in ports:
        address = f"{_EVERY_ADDRESS.get(settings.host, settings.host)}:{port}"
        path = "/readyz" if ready else "/healthz"
        try:
            status = _status_of(settings.host, port, path)
        except (OSError, http.client.HTTPException) as error:
            problems.append(f"{address} does not answer: {error or type(error).__name__}")
            continue
        if status == _OK:
            return f"{address}{path} answers {status}"
        problems.append(f"{address}{path} answers {status}")
    raise Transient("; ".join(problems) or "PACKHOUSE_PORT is 0, which is another port at each start: set one")


def _status_of(host: str, port: int, path: str) -> int:
    connection = http.client.HTTPConnection(_EVERY_ADDRESS.get(host, host), port, timeout=_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
