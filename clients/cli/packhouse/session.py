"""State of one invocation: the client, the two consoles, and the output format.

Answers are kept as the received JSON, so that `--output json` prints exactly the API's answer and extra fields of a
newer server are not lost. Errors of the SDK pass through; `packhouse.main` shows them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import typer
from packhouse_client import Answer, Packhouse
from packhouse_client.errors import ListExpired
from packhouse_client.operations import ListCall
from packhouse_client.walks import Walk
from rich.console import Console

from packhouse import problems
from packhouse.exit_codes import ExitCode
from packhouse.output import Output, print_document

_PAGE_SIZE: Final = 200


class Call(Protocol):
    """An operation of the SDK."""

    def raw(self, *args: Any, **kwargs: Any) -> Answer:
        """Send the operation and return the raw answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Client, consoles and output format of a command."""

    client: Packhouse
    has_key: bool
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
    def is_for_people(self) -> bool:
        """Whether results are printed for people, not for a script."""
        return self.output is Output.TABLE

    def answer(self, call: Call, *path: str, **arguments: Any) -> Answer:
        """Send an operation; arguments that are None are left out.

        Raises:
            CommandError: no key is given. PackhouseError: raised by the SDK.
        """
        if not self.has_key:
            raise problems.CommandError("no API key is given", ExitCode.UNAUTHENTICATED, problems.KEY_HINT)
        return call.raw(*path, **{name: value for name, value in arguments.items() if value is not None})

    def ask(self, call: Call, *path: str, **arguments: Any) -> Any:
        """Send an operation and return the document of its answer."""
        return self.answer(call, *path, **arguments).document

    def pages(self, call: ListCall[..., Any], *path: str, limit: int, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Yield the items of a paged list, at most `limit`."""
        for page in self.whole_pages(call, *path, limit=limit, **arguments):
            yield from page["items"]

    def whole_pages(
        self, call: ListCall[..., Any], *path: str, limit: int, **arguments: Any
    ) -> Iterator[dict[str, Any]]:
        """Yield the pages of a list with all their fields, and at most `limit` items in all; see the SDK's `walks`."""
        walk, left = Walk[Any](arguments, call.recipe.key), limit
        while left > 0:
            try:
                page = self.ask(call, *path, page_size=min(left, _PAGE_SIZE), **walk.arguments)
            except ListExpired as error:
                walk.begin_again(error)
                continue
            items = walk.new(page["items"])[:left]
            yield page | {"items": items}
            left -= len(items)
            if not walk.go_on(page.get("next_page_token")):
                return

    def show(self, document: object, render: Callable[[Console], None]) -> None:
        """Print a result: the document for a script, the output of `render` for people."""
        if self.is_for_people:
            render(self.out)
        else:
            print_document(self.out, document, self.output)

    def show_list(self, items: list[Any], render: Callable[[Console], None], *, empty: str) -> None:
        """Print a list; for people an empty list prints `empty`, which names the next step, to standard error."""
        if items or not self.is_for_people:
            self.show({"items": items}, render)
        else:
            self.say(empty)

    def say(self, text: str) -> None:
        """Write a message for people to standard error, separate from the result."""
        self.err.print(text, soft_wrap=True)


def etag_of(answer: Answer) -> str:
    """Return the version to send back as `if_match`.

    Raises:
        CommandError: the answer has no ETag.
    """
    if answer.etag is None:
        raise problems.CommandError("the server's answer carries no ETag", ExitCode.ERROR)
    return answer.etag
