"""Send requests with the key, with retries, and with errors as exceptions: for threads and for asyncio."""

import asyncio
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import Any

import httpx
import tenacity

from packhouse_client import errors, limits
from packhouse_client.retries import Retries, may_repeat


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer: the JSON document (text if it is not JSON, None if it is empty) and the headers."""

    document: Any
    status: int
    headers: Mapping[str, str]

    @property
    def etag(self) -> str | None:
        """The version of the object, to send back as `if_match`."""
        return self.headers.get("etag")


def options(url: str, api_key: str, timeout: float) -> dict[str, Any]:
    """Return the arguments for both kinds of httpx client.

    Raises:
        ValueError: the URL or the key is not valid.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is not an address: write http://host:port")
    if not api_key.isascii():
        raise ValueError("the API key has characters that no key has")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    return {
        "base_url": url.rstrip("/").removesuffix("/v1"),
        "headers": headers,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, 10.0)),
    }


class Sender:
    """Blocking sender with an `httpx.Client`."""

    def __init__(self, http: httpx.Client, *, retries: Retries, sleep: Callable[[float], None] = time.sleep) -> None:
        self.http = http
        self.sleep = sleep
        self._retries = retries

    def send(self, arguments: Mapping[str, Any]) -> Answer:
        """Send a request that generated code describes; retry where that is safe.

        Raises:
            ApiError: the server refused. NoAnswer: it did not answer. UnreadableAnswer: it is not a Packhouse server.
        """
        request = self.http.build_request(**arguments)
        attempts = tenacity.Retrying(
            retry=lambda state: may_repeat(request, state),
            stop=self._retries.stop,
            wait=self._retries.wait,
            sleep=self.sleep,
            reraise=True,
        )
        return attempts(self._once, request)

    def open(self, request: httpx.Request) -> httpx.Response:
        """Send a request once; return its answer, the body of which is not read yet.

        Raises:
            ApiError: the server refused. httpx.TransportError: it did not answer in time.
        """
        with limits.deadline(request):
            response = self.http.send(request, stream=True)
            if response.is_error:
                with closing(response):
                    raise errors.from_response(limits.whole(response, response.iter_bytes()))
        return response

    def _once(self, request: httpx.Request) -> Answer:
        try:
            with limits.deadline(request), closing(self.http.send(request, stream=True)) as answer:
                response = limits.whole(answer, answer.iter_bytes())
        except httpx.TransportError as error:
            raise no_answer(request, error) from error
        return read(response)


class AsyncSender:
    """Sender for asyncio with an `httpx.AsyncClient`."""

    def __init__(
        self, http: httpx.AsyncClient, *, retries: Retries, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self.http = http
        self.sleep = sleep
        self._retries = retries

    async def send(self, arguments: Mapping[str, Any]) -> Answer:
        """Send a request; see `Sender.send`."""
        request = self.http.build_request(**arguments)
        attempts = tenacity.AsyncRetrying(
            retry=lambda state: may_repeat(request, state),
            stop=self._retries.stop,
            wait=self._retries.wait,
            sleep=self.sleep,
            reraise=True,
        )
        return await attempts(self._once, request)

    async def open(self, request: httpx.Request) -> httpx.Response:
        """Send a request once; see `Sender.open`."""
        try:
            async with asyncio.timeout(limits.seconds_of(request)):
                response = await self.http.send(request, stream=True)
                if response.is_error:
                    async with aclosing(response):
                        raise errors.from_response(await limits.whole_async(response, response.aiter_bytes()))
        except TimeoutError as error:
            raise httpx.ReadTimeout("the answer was not complete in time") from error
        return response

    async def _once(self, request: httpx.Request) -> Answer:
        try:
            async with asyncio.timeout(limits.seconds_of(request)):
                async with aclosing(await self.http.send(request, stream=True)) as answer:
                    response = await limits.whole_async(answer, answer.aiter_bytes())
        except TimeoutError as error:
            raise no_answer(request, httpx.ReadTimeout("the answer was not complete in time")) from error
        except httpx.TransportError as error:
            raise no_answer(request, error) from error
        return read(response)


def new_key() -> str:
    """Return a fresh `Idempotency-Key`."""
    return str(uuid.uuid4())


def no_answer(request: httpx.Request, error: httpx.TransportError) -> errors.NoAnswer:
    """Return the error for a server that was not reached."""
    origin = f"{request.url.scheme}://{request.url.netloc.decode()}"
    return errors.NoAnswer(f"no answer from {origin}: {error or type(error).__name__}")


def read(response: httpx.Response) -> Answer:
    """Return the answer in a response, or raise its error."""
    if response.is_error:
        raise errors.from_response(response)
    if response.is_redirect:
        raise errors.UnreadableAnswer(f"{response.request.url} redirects elsewhere; give the address that it leads to")
    kind = response.headers.get("content-type", "")
    if not response.content:
        return Answer(None, response.status_code, response.headers)
    if "json" not in kind:
        return Answer(response.text, response.status_code, response.headers)
    try:
        return Answer(json.loads(response.content), response.status_code, response.headers)
    except (ValueError, RecursionError) as error:
        raise errors.UnreadableAnswer(f"{response.request.url} gave JSON that can't be read: {error}") from error
