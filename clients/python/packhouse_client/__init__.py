"""Python SDK of Packhouse: `Packhouse` for threads, `AsyncPackhouse` for asyncio.

Models are in `packhouse_client.models`, errors in `packhouse_client.errors`, an in-memory server for tests in
`packhouse_client.testing`. `packhouse_client._generated` is internal and may change at any time.
"""

from packhouse_client.client import AsyncPackhouse, Packhouse
from packhouse_client.errors import ApiError, NoAnswer, NotWritten, PackhouseError, RunFailed, WaitTimedOut
from packhouse_client.retries import Retries
from packhouse_client.senders import Answer

__all__ = [
    "Answer",
    "ApiError",
    "AsyncPackhouse",
    "NoAnswer",
    "NotWritten",
    "Packhouse",
    "PackhouseError",
    "Retries",
    "RunFailed",
    "WaitTimedOut",
]
