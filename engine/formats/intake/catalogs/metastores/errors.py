"""Conditions of the domain that errors of a session with a Metastore mean."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from hive_metastore.ttypes import MetaException, NoSuchObjectException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TTransportException

from engine.domain.errors import Away, NotFound, PackhouseError, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.values.uris import masked
from engine.formats.intake.errors import is_own_fault, printable, storage_condition, summary_of

_log = structlog.get_logger(__name__)

NOT_UNDERSTOOD: Final = "check that `uri` is the address of a Hive Metastore, and whether it requires TLS or Kerberos"

_DENIED: Final = re.compile(
    r"permission denied|no privilege|not authorized|is not allowed|authorizationexception"
    r"|does not have .{0,200}(privilege|permission|access)",
    re.IGNORECASE,
)
"""Texts of Hive's own authorization, of Ranger's and of those that ask the storage; they have no type of their own."""
_LONGEST: Final = 300
GRANT: Final = "grant the catalog's user this right in the Metastore"


class WrongAccess(TTransportException):  # type: ignore[misc] # the library has no types
    """The settings of a connection are wrong for its server, so that waiting does not help; with the remedy.

    It is an error of the transport, since a call may have been sent before.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(TTransportException.NOT_OPEN, f"{reason}; {remedy}")


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
        raise condition_of(error, f"Could not {doing}: {words_of(error)}") from error
    except OSError as error:
        raise storage_condition(error, f"Could not {doing}: {summary_of(error)}") from error
    except Exception as error:
        if is_own_fault(error):
            raise
        _log.warning("metastore_not_understood", doing=doing, exc_info=error)
        raise StateConflict(f"Could not {doing}: {summary_of(error)}; {NOT_UNDERSTOOD}") from error


def words_of(error: TException) -> str:
    """Return the message of an error, after its class; without the class for connections, where it is Thrift's."""
    if isinstance(error, TTransportException) and error.message:
        return printable(masked(str(error.message))[:_LONGEST], " ")
    return summary_of(error)


def is_denial(error: TException) -> bool:
    """Return whether a Metastore refuses a call because its user lacks a right: nothing was changed."""
    return isinstance(error, MetaException) and _DENIED.search(str(error.message)) is not None


def condition_of(error: TException, message: str) -> PackhouseError:
    """Return the error of the domain with a message, whose remedy is added.

    Returns:
        Away: the server does not answer.
        NotFound: no such database or table.
        StateConflict: its answers are not those of a Metastore, the settings of the connection are wrong,
            or the user lacks a right.
        Transient: it answers with an error.
    """
    if isinstance(error, NoSuchObjectException):
        return NotFound(message)
    if isinstance(error, WrongAccess):
        return StateConflict(message)
    if isinstance(error, TTransportException) and error.type != TTransportException.SIZE_LIMIT:
        never = error.type == TTransportException.NOT_OPEN
        return Away(DependencyKind.CATALOG, f"{message}; if that server runs, check `uri`" if never else message)
    if is_denial(error):
        return StateConflict(f"{message}; {GRANT}")
    if isinstance(error, MetaException) or _is_internal(error):
        return Transient(message)
    return StateConflict(f"{message}; {NOT_UNDERSTOOD}")


def _is_internal(error: TException) -> bool:
    """Return whether the server reports an error of its own, such as a database that does not answer.

    A call whose errors the client does not know ends without a result instead.
    """
    kinds = (TApplicationException.INTERNAL_ERROR, TApplicationException.MISSING_RESULT)
    return isinstance(error, TApplicationException) and error.type in kinds
