"""Translate exceptions of storage and damaged metadata into errors of the domain that name the table."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from engine.domain.errors import PackhouseError, TableUnreadable
from engine.formats.intake.errors import causes_of, is_of_file, storage_condition, summary_of
from engine.formats.intake.limits import Malformed

_log = structlog.get_logger(__name__)

_REMEDY: Final = "repair the table's metadata with a program that can read it"


@contextmanager
def reading_table(doing: str) -> Iterator[None]:
    """Run a block that reads one table's metadata; `doing` completes "Could not …".

    Raises:
        TableUnreadable: the metadata is damaged, too large or not supported.
        Away, CredentialsExpired, StateConflict, Transient: the storage does not answer, or refuses.
    """
    try:
        yield
    except PackhouseError:
        raise
    except BaseException as error:
        message = f"Could not {doing}: {summary_of(error)}"
        if is_of_file(error):
            is_expected = any(isinstance(each, Malformed) for each in causes_of(error))
            _log.warning("table_unreadable", doing=doing, exc_info=None if is_expected else error)
            raise TableUnreadable(f"{message}; {_REMEDY}") from error
        if isinstance(error, OSError | EOFError):
            raise storage_condition(error, message) from error
        raise
