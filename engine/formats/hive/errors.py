"""Translate exceptions of a Metastore, of storage and of damaged metadata into errors of the domain."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from hive_metastore.ttypes import MetaException, NoSuchObjectException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TTransportException

from engine.domain.errors import Away, NotFound, PackhouseError, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.intake.errors import is_own_fault, reading_metadata, storage_condition, summary_of

_log = structlog.get_logger(__name__)

_REMEDY: Final = "correct the table's entry in the Metastore"
_NOT_UNDERSTOOD: Final = "check that `uri` is the address of a Hive Metastore without SASL and TLS"


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
        raise _condition_of(error, f"Could not {doing}: {summary_of(error)}") from error
    except OSError as error:
        raise storage_condition(error, f"Could not {doing}: {summary_of(error)}") from error
    except Exception as error:
        if is_own_fault(error):
            raise
        _log.warning("metastore_not_understood", doing=doing, exc_info=error)
        raise StateConflict(f"Could not {doing}: {summary_of(error)}; {_NOT_UNDERSTOOD}") from error


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
            raise _condition_of(error, f"Could not {doing}: {summary_of(error)}") from error


def _condition_of(error: TException, message: str) -> PackhouseError:
    if isinstance(error, NoSuchObjectException):
        return NotFound(message)
    if isinstance(error, TTransportException) and error.type != TTransportException.SIZE_LIMIT:
        return Away(DependencyKind.CATALOG, message)
    if isinstance(error, MetaException) or _is_internal(error):
        return Transient(message)
    return StateConflict(f"{message}; {_NOT_UNDERSTOOD}")


def _is_internal(error: TException) -> bool:
    """Return whether the server reports an error of its own, such as a database that does not answer.

    A call whose errors the client does not know ends without a result instead.
    """
    kinds = (TApplicationException.INTERNAL_ERROR, TApplicationException.MISSING_RESULT)
    return isinstance(error, TApplicationException) and error.type in kinds
