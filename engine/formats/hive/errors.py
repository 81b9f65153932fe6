"""Translate exceptions of a Metastore, of storage and of damaged metadata into errors of the domain."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from thrift.Thrift import TException

from engine.domain.errors import PackhouseError, StateConflict
from engine.formats.intake.catalogs.metastores.errors import NOT_UNDERSTOOD, condition_of
from engine.formats.intake.errors import is_own_fault, reading_metadata, storage_condition, summary_of

_log = structlog.get_logger(__name__)

_REMEDY: Final = "correct the table's entry in the catalog"


@contextmanager
def asking_metastore(doing: str) -> Iterator[None]:
    """Run a block with calls to the Metastore that concern no particular table; `doing` completes "Could not …".

    Raises:
        Away: it does not answer.
        NotFound: no such database or table.
        StateConflict: its answers are not those of a Metastore.
        Transient: it answers with an error.
    """
    try:
        yield
    except PackhouseError:
        raise
    except TException as error:
        raise condition_of(error, f"Could not {doing}: {summary_of(error)}") from error
    except OSError as error:
        raise storage_condition(error, f"Could not {doing}: {summary_of(error)}") from error
    except Exception as error:
        if is_own_fault(error):
            raise
        _log.warning("metastore_not_understood", doing=doing, exc_info=error)
        raise StateConflict(f"Could not {doing}: {summary_of(error)}; {NOT_UNDERSTOOD}") from error


@contextmanager
def reading_table(doing: str) -> Iterator[None]:
    """Run a block that reads one table's entry in the Metastore and lists its files.

    Raises:
        TableUnreadable: its metadata is damaged, too large or not supported.
        Away, CredentialsExpired, NotFound, StateConflict, Transient: Metastore or storage do not answer, or refuse.
    """
    with reading_metadata(doing, remedy=_REMEDY):
        try:
            yield
        except TException as error:
            raise condition_of(error, f"Could not {doing}: {summary_of(error)}") from error
