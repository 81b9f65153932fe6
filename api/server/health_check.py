"""The command `packhouse-server health`: checks that the process on this machine, or in this container, answers.

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
EVERY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - they name every address of the machine
"""Addresses that stand for every interface, each with the one that a client on the machine connects to."""


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
    """Return the address that answered with its status: of the api, or else of a worker's or coordinator's metrics.

    `ready`: the api must reach its database as well (`/readyz`).

    Raises:
        Transient: none answered within two seconds, or one is not well.
    """
    ports = [each for each in (settings.port, None if ready else settings.metrics_port) if each]
    host, path = EVERY_ADDRESS.get(settings.host, settings.host), "/readyz" if ready else "/healthz"
    problems = []
    for port in ports:
        address = f"{f'[{host}]' if ':' in host else host}:{port}"
        try:
            status = _status_of(host, port, path)
        except (OSError, http.client.HTTPException) as error:
            problems.append(f"{address} does not answer: {error or type(error).__name__}")
            continue
        if status == _OK:
            return f"{address}{path} answers {status}"
        problems.append(f"{address}{path} answers {status}")
    raise Transient("; ".join(problems) or "PACKHOUSE_PORT is 0, so that the port differs at each start: set one")


def _status_of(host: str, port: int, path: str) -> int:
    connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
