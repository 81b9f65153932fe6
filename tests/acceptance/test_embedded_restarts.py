"""`packhouse-server up` brings an embedded server back that was killed, on its port and with its data."""

import os
import signal

import httpx
import pytest

from tests.support.eventually import eventually
from tests.support.stack import Stack


def _is_ready(stack: Stack) -> bool:
    try:
        return bool(httpx.get(f"{stack.url}/readyz", timeout=10).json()["status"] == "ready")
    except httpx.TransportError:
        return False


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("redis-server",), id="redis"),
        pytest.param(("SparkConnectServer",), id="spark", marks=pytest.mark.deep),  # test_afternoon.py kills it as well
    ],
)
def test_an_embedded_server_that_was_killed_comes_back(stack: Stack, words: tuple[str, ...]) -> None:
    killed = stack.child(*words)
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: stack.child(*words) not in (None, killed), within_seconds=60)
    eventually(lambda: _is_ready(stack), within_seconds=120)
    assert stack.child(*words) != killed
