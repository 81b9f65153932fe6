"""Errors of `obstore` as those of any store, with short texts that contain no signed query."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from engine.rewriting.kernel.storage.answers import StoreError

try:
    from obstore.exceptions import BaseError, InvalidPathError
except ImportError:  # an executor without it
    BaseError = InvalidPathError = OSError  # type: ignore[assignment,misc]

_QUERY: Final = re.compile(r"(https?://[^\s?\"']*)\?[^\s\"')]*")


class UnclearName(OSError):
    """A listing has the name of an object with an empty part, `.`, `..` or control characters in it."""


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn the errors of `obstore` into `StoreError`, and shorten the text of a file that is missing."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(_first_part(error)) from error
    except OSError as error:  # what an upload of parts raises
        raise (StoreError(_first_part(error)) if "Error performing" in str(error) else error) from error
    except InvalidPathError as error:
        raise UnclearName(_first_part(error)) from error
    except BaseError as error:
        raise StoreError(_first_part(error)) from error


def _first_part(error: Exception) -> str:
    """Return the text of an error without debugging output, and without queries, which may be signed."""
    return _QUERY.sub(r"\1?…", str(error).partition("\n\nDebug source:")[0])
