"""Feed every parser that a caller without a key can reach with inputs that make bad parsers quadratic or worse.

Run as a script, under a limit of CPU time that the kernel enforces: nothing else interrupts the matcher of expressions.
It prints the name of each parser before it feeds it, so the last line names the parser that took too long.
Linear parsers need milliseconds for an input, quadratic ones minutes: 2³⁶ steps.
"""

import asyncio
import importlib
import math
import pkgutil
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any, Final

from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request

import api
from api.app import create_app
from api.http.auth import bearer_of, subscriber_of
from api.http.bodies import parse_json
from api.http.errors import EdgeProblem
from api.http.preconditions import preconditions
from api.http.representations import accepts_gzip
from api.http.streaming import wants_stream
from engine.domain.errors import PackhouseError
from engine.services.access.authentication import KEY_FORM
from engine.services.access.oidc import _key_id_of
from engine.services.operations.tasks.pace_tokens import PaceTokens

CPU_SECONDS: Final = 8
SIZE: Final = 2**18
_PIECES: Final = (*'a0=&,;."%/:-* \\[', '\\"', '{"a":', '"a",', "%2", "//", "+a", "q=1;", "W/", "a.")


def main() -> None:
    """Feed them all; a parser may refuse, but not take long."""
    for name, parse in parsers():
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        limit = math.ceil(time.process_time()) + CPU_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        for text in texts():
            with suppress(PackhouseError, EdgeProblem, ValueError, RecursionError):
                parse(text)


def texts() -> Iterator[str]:
    """Yield long repetitions, opened by what may change a parser's state and closed by what does not fit."""
    for piece in _PIECES:
        yield piece * (SIZE // len(piece))
        yield '"' + piece * (SIZE // len(piece)) + "\x00"


def parsers() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield each parser with its name: those with a name of their own, then every expression of the modules."""
    yield "request body", lambda text: parse_json(text.encode())
    yield "Authorization", lambda text: bearer_of(_header("Authorization", f"Bearer {text}"))
    yield "form of a key", lambda text: KEY_FORM.fullmatch(f"pkh_{text}")
    yield "identity provider's token", lambda text: _key_id_of(f"{text}.{text[:100]}.{text[:100]}", ("RS256",))
    yield "pace token", lambda text: PaceTokens(secret_keys=("k",)).read(text)
    yield "client address", subscriber_of
    yield "If-Match", lambda text: asyncio.run(preconditions(if_match=text, if_none_match=None))
    yield "If-None-Match", lambda text: asyncio.run(preconditions(if_match=None, if_none_match=text))
    yield "Accept", wants_stream
    yield "Accept-Encoding", accepts_gzip
    yield "query string", lambda text: QueryParams(text.encode())
    yield "cookies", lambda text: _request("Cookie", text).cookies
    yield "declared length", int
    for name, pattern in expressions():
        yield name, partial(_match, pattern)
    paths = list(path_expressions())
    yield "paths", lambda text: [pattern.fullmatch(form.format_map(_Same(text[:50_000]))) for form, pattern in paths]


def expressions() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield every compiled expression of the api."""
    for found in pkgutil.walk_packages(api.__path__, "api."):
        if found.name == "api.__main__":
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, re.Pattern):
                yield f"{found.name}.{name}", value


def _match(pattern: re.Pattern[Any], text: str) -> None:
    given: Any = text.encode() if isinstance(pattern.pattern, bytes) else text
    pattern.fullmatch(given)
    for _ in pattern.finditer(given):
        pass


def path_expressions() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the template and the expression of every path that is served."""
    for route in iter_route_contexts(create_app(nullcontext).routes):  # type: ignore[arg-type]
        yield route.path_format, route.path_regex


class _Same(dict[str, str]):
    """One text for every parameter of a path."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def __missing__(self, _name: str) -> str:
        return self._text


def _header(name: str, value: str) -> Headers:
    return Headers(raw=[(name.lower().encode(), value.encode())])


def _request(name: str, value: str) -> Request:
    return Request({"type": "http", "headers": [(name.lower().encode(), value.encode())]})


if __name__ == "__main__":
    main()
