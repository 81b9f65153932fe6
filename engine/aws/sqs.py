"""A queue of Amazon SQS: receive messages by long polling, delete those that were used.

boto3 blocks, so its calls are made in threads of this queue's own: an idle queue must not hold a thread that other work
of the process waits for. Credentials are found as every AWS SDK finds them: environment, files, roles.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from engine.domain.errors import InvalidInput, Transient
from engine.extras import require

AT_ONCE: Final = 10
"""Most messages of one request, a limit of SQS."""
THREADS: Final = 5
"""Most requests at once."""
WAIT_SECONDS: Final = 5
"""Longest wait of a request for a first message. SQS allows 20 s: a coordinator that ends does not wait as long."""
HIDDEN_SECONDS: Final = 120
"""Time for which a received message is hidden from other readers; then it is delivered again unless it was deleted."""
_ANSWER_SECONDS: Final = 10

_ARN: Final = re.compile(r"arn:(aws[a-z-]*):sqs:([a-z0-9-]+):([0-9]{1,12}):([A-Za-z0-9_-]{1,80}(?:\.fifo)?)")
_HOST: Final = re.compile(r"(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com(?:\.cn)?")
_CHINA: Final = "aws-cn"
_EXAMPLE: Final = "such as https://sqs.eu-central-1.amazonaws.com/123456789012/packhouse, or its ARN"

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Message:
    """A received message; the handle is for its deletion."""

    id: str
    handle: str
    body: str


@dataclass(frozen=True, slots=True)
class QueueAddress:
    """URL and region of a queue; `endpoint` is the address of the service, None for that of AWS."""

    url: str
    region: str
    endpoint: str | None

    @classmethod
    def of(cls, queue: str | None, region: str | None, endpoint: str | None) -> "QueueAddress | None":
        """Return the address that the settings define; None when they name no queue.

        Raises:
            InvalidInput: names the setting, what is wrong with it, and the remedy.
        """
        if queue is None:
            if region is not None or endpoint is not None:
                message = "PACKHOUSE_EVENT_QUEUE_REGION and _ENDPOINT have no effect without PACKHOUSE_EVENT_QUEUE: "
                raise InvalidInput(f"{message}set it, or unset them")
            return None
        if endpoint is not None and not _is_address(endpoint):
            raise InvalidInput(f"PACKHOUSE_EVENT_QUEUE_ENDPOINT: {endpoint!r} is not an address; give http(s)://host")
        if arn := _ARN.fullmatch(queue):
            partition, of_arn, account, name = arn.groups()
            base = endpoint or f"https://sqs.{of_arn}.amazonaws.com{'.cn' if partition == _CHINA else ''}"
            return cls(f"{base.rstrip('/')}/{account}/{name}", region or of_arn, endpoint)
        if not _is_address(queue):
            raise InvalidInput(
                f"PACKHOUSE_EVENT_QUEUE: {queue!r} is not the URL or ARN of a queue; give one, {_EXAMPLE}"
            )
        host = _HOST.fullmatch(urlsplit(queue).hostname or "")
        found = region or (None if host is None else host[1] or host[2])
        if found is None:
            message = f"PACKHOUSE_EVENT_QUEUE: {queue!r} names no region; set PACKHOUSE_EVENT_QUEUE_REGION"
            raise InvalidInput(message)
        return cls(queue, found, endpoint)


class SqsQueue:
    """One queue. Its client is made on first use."""

    def __init__(self, address: QueueAddress) -> None:
        require("boto3", purpose="PACKHOUSE_EVENT_QUEUE", install="'packhouse-server[aws]'")
        self._address = address
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sqs")
        self._client: Any = None

    async def receive(self) -> Sequence[Message]:
        """Wait for a first message, at most `WAIT_SECONDS`, and return those that are there, up to `AT_ONCE * THREADS`.

        Raises:
            Transient: SQS does not answer, or refuses the request.
        """
        found = list(await self._call(partial(self._receive, WAIT_SECONDS)))
        if len(found) == AT_ONCE:
            more = await asyncio.gather(*(self._call(partial(self._receive, 0)) for _ in range(THREADS - 1)))
            found += [message for part in more for message in part]
        return found

    async def delete(self, messages: Sequence[Message]) -> int:
        """Delete messages; return the number of those that SQS did not delete and will deliver again.

        Raises:
            Transient: SQS does not answer, or refuses the request.
        """
        parts = [messages[first : first + AT_ONCE] for first in range(0, len(messages), AT_ONCE)]
        return sum(await asyncio.gather(*(self._call(partial(self._delete, part)) for part in parts)))

    def close(self) -> None:
        """End the threads; one that waits for a message ends when its request does."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _call(self, call: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, _checked, call)

    def _receive(self, wait: int) -> Sequence[Message]:
        answer = self._opened().receive_message(
            QueueUrl=self._address.url,
            MaxNumberOfMessages=AT_ONCE,
            WaitTimeSeconds=wait,
            VisibilityTimeout=HIDDEN_SECONDS,
        )
        return [Message(each["MessageId"], each["ReceiptHandle"], each["Body"]) for each in answer.get("Messages", ())]

    def _delete(self, messages: Sequence[Message]) -> int:
        entries = [{"Id": str(at), "ReceiptHandle": each.handle} for at, each in enumerate(messages)]
        return len(self._opened().delete_message_batch(QueueUrl=self._address.url, Entries=entries).get("Failed", ()))

    def _opened(self) -> Any:
        import boto3  # noqa: PLC0415 - of the extra `aws`
        from botocore.config import Config  # noqa: PLC0415

        if self._client is None:
            config = Config(
                connect_timeout=_ANSWER_SECONDS,
                read_timeout=WAIT_SECONDS + _ANSWER_SECONDS,
                retries={"total_max_attempts": 1},  # the reader tries again
                max_pool_connections=THREADS,
            )
            session = boto3.session.Session(region_name=self._address.region)
            self._client = session.client("sqs", endpoint_url=self._address.endpoint, config=config)
        return self._client


def _checked(call: Callable[[], R]) -> R:
    """Make a call; raise `Transient` for the errors of boto3, whose texts hold no secrets."""
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415 - of the extra `aws`

    try:
        return call()
    except (BotoCoreError, ClientError) as error:
        raise Transient(f"the event queue does not answer: {str(error)[:300]}") from error


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc and has_port
