"""Every call ends within its limits of time and memory whatever the server does, and its error names the server (F59).

The cells of clients and behaviours are listed in docs/testing.md.
"""

import re
from collections.abc import Iterator
from functools import partial

import pytest

from tests.support.hostile.behaviours import Behaviour, answer, http_ways, once
from tests.support.hostile.budgets import error_within
from tests.support.hostile.clients import HTTP_CLIENTS, MOST_SECONDS
from tests.support.hostile.servers import HostileServer

_NAMES_SERVER = re.compile(r"127\.0\.0\.1|check `uri`|check the catalog's properties|this version can't read")
"""The address of the server, or the property that has it; the SDK has one server, and an answer of another form."""
_CELLS = [(behaviour, way) for behaviour, ways in http_ways("").items() for way in ways]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[HostileServer]:
    """The server that redirects lead to."""
    with HostileServer(once(answer(b'{"access_token": "of another"}'))).running() as server:
        yield server


@pytest.mark.parametrize(("behaviour", "way"), _CELLS)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.deep] * client.is_repeated) for name, client in HTTP_CLIENTS.items()]
)
def test_f59_a_call_ends_within_its_limits(
    name: str, behaviour: Behaviour, way: str, elsewhere: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = HTTP_CLIENTS[name]
    client.hurry(monkeypatch)
    with HostileServer(http_ways(f"{elsewhere.url}/v1/config")[behaviour][way]).running() as server:
        error = error_within(MOST_SECONDS, partial(client.call, server.url))
    assert isinstance(error, client.raises), repr(error)
    assert _NAMES_SERVER.search(str(error)), error
    assert elsewhere.received == []
