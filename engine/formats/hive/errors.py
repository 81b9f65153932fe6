"""Translate exceptions of a Metastore, of storage and of damaged metadata into errors of the domain."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from hive_metastore.ttypes import MetaException, NoSuchObjectException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TTransportException

from engine.domain.errors import Away, NotFound, PackhouseError, StateConflict, TableUnreadable, Transient
from engine.domain.fleet.dependencies import Dependency
from engine.formats.intake.errors import causes_of, is_of_file, storage_condition, summary_of
from engine.formats.intake.limits import Malformed

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
        _log.warning("metastore_not_understood", doing=doing, exc_info=error)
        raise StateConflict(f"Could not {doing}: {summary_of(error)}; {_NOT_UNDERSTOOD}") from error


@contextmanager
def reading_table(doing: str) -> Iterator[None]:
    """Run a block that reads one table's entry in the Metastore and lists its files.

    Raises:
        TableUnreadable: its metadata is damaged, too large or not supported.
        Away, CredentialsExpired, NotFound, StateConflict, Transient: Metastore or storage do not answer, or refuse.
    """
    try:
        yield
    except PackhouseError:
        raise
    except TException as error:
        raise _condition_of(error, f"Could not {doing}: {summary_of(error)}") from error
    except BaseException as error:
        message = f"Could not {doing}: {summary_of(error)}"
        if is_of_file(error):
            is_expected = any(isinstance(each, Malformed) for each in causes_of(error))
            _log.warning("table_unreadable", doing=doing, exc_info=None if is_expected else error)
            raise TableUnreadable(f"{message}; {_REMEDY}") from error
        if isinstance(error, OSError | EOFError):
            raise storage_condition(error, message) from error
        raise


def _condition_of(error: TException, message: str) -> PackhouseError:
    if isinstance(error, NoSuchObjectException):
        return NotFound(message)
    if isinstance(error, TTransportException):
        return Away(Dependency.CATALOG, message)
    if isinstance(error, MetaException) or _is_internal(error):
        return Transient(message)
    return StateConflict(f"{message}; {_NOT_UNDERSTOOD}")


def _is_internal(error: TException) -> bool:
    """Return whether the server reports an error of its own, such as a database that does not answer.

    A call whose errors the client does not know ends without a result instead.
    """
    kinds = (TApplicationException.INTERNAL_ERROR, TApplicationException.MISSING_RESULT)
    return isinstance(error, TApplicationException) and error.type in kinds
