"""One invocation: the client, the two consoles, and how an SDK call becomes a JSON document or a `CommandError`.

The SDK builds the request (paths, parameters, headers, body); answers are taken as the JSON that came, so that
`--output json` prints exactly what the API said and a newer server's extra fields are not lost.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx
import typer
from packhouse_client._generated import AuthenticatedClient
from packhouse_client._generated.types import UNSET, Response
from rich.console import Console

from packhouse import problems
from packhouse.exit_codes import ExitCode
from packhouse.output import Output, print_json

DEFAULT_URL: Final = "http://127.0.0.1:8080"
_PAGE_SIZE: Final = 200
_TIMEOUT: Final = httpx.Timeout(60.0)


def connect(url: str, api_key: str) -> AuthenticatedClient:
    """Return the SDK's client; an error answer raises `CommandError` before the SDK looks at it, in streams as well."""
    if not url.startswith(("http://", "https://")):
        raise problems.CommandError(
            f"{url!r} is not an address", hint="write http://host:port, as `make up` prints it", code=ExitCode.USAGE
        )
    if not api_key.isascii():
        raise problems.CommandError(
            "the API key has characters that no key has", hint="copy it again", code=ExitCode.UNAUTHENTICATED
        )
    client = AuthenticatedClient(base_url=url.rstrip("/").removesuffix("/v1"), token=api_key, timeout=_TIMEOUT)
    client.get_httpx_client().event_hooks = {"response": [_refuse_errors]}
    return client


def _refuse_errors(response: httpx.Response) -> None:
    if response.is_error:
        response.read()
        raise problems.from_response(response.status_code, response.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What every command needs."""

    client: AuthenticatedClient
    url: str
    output: Output
    out: Console
    err: Console

    @staticmethod
    def of(context: typer.Context) -> "Session":
        """Return the session that the root command made."""
        session = context.obj
        if not isinstance(session, Session):
            raise TypeError("the root command has not run")
        return session

    @property
    def wants_json(self) -> bool:
        """True when results are for a script."""
        return self.output is Output.JSON

    def answer(self, call: Callable[..., Response[Any]], *path: str, **arguments: Any) -> "Answer":
        """Call an operation of the SDK (its `sync_detailed`).

        Raises:
            CommandError: the server refused, or can't be reached.
        """
        if not self.client.token:
            raise problems.CommandError("no API key is given", ExitCode.UNAUTHENTICATED, problems.KEY_HINT)
        try:
            response = call(*path, client=self.client, **arguments)
        except httpx.HTTPError as error:
            raise problems.from_transport(error, self.url) from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            what = f"{self.url} gave an answer that this client can't read: {type(error).__name__} {error}"
            hint = "is it a Packhouse server, and of this version?"
            raise problems.CommandError(what, ExitCode.ERROR, hint) from error
        return Answer(json.loads(response.content) if response.content else None, response.headers)

    def pages(
        self, call: Callable[..., Response[Any]], *path: str, limit: int, **arguments: Any
    ) -> Iterator[dict[str, Any]]:
        """Yield the items of a paged list, at most `limit`."""
        token: Any = UNSET
        left = limit
        while left > 0:
            page = self.answer(call, *path, page_size=min(left, _PAGE_SIZE), page_token=token, **arguments).document
            yield from page["items"][:left]
            left -= len(page["items"])
            token = page.get("next_page_token")
            if not token:
                return

    def show(self, document: object, render: Callable[[Console], None]) -> None:
        """Print a result: the document for a script, what `render` makes of it for people."""
        if self.wants_json:
            print_json(self.out, document)
        else:
            render(self.out)

    def say(self, text: str) -> None:
        """Tell a person something beside the result."""
        self.err.print(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer: the JSON document (None for an empty one) and the headers."""

    document: Any
    headers: Mapping[str, str]

    @property
    def etag(self) -> str:
        """The version to send back as `If-Match`.

        Raises:
            CommandError: the answer carries none.
        """
        found = self.headers.get("etag")
        if found is None:
            raise problems.CommandError("the server's answer carries no ETag", ExitCode.ERROR)
        return found


@dataclass(frozen=True, slots=True)
class Document:
    """A request body as it was given. The SDK's models would drop fields that the API has to refuse by name."""

    content: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the content; what the SDK calls on a body."""
        return dict(self.content)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Wrap a document."""
        return cls(content)
