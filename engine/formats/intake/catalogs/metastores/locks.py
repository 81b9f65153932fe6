"""The lock of a table in a Hive Metastore, which clients of Iceberg and of Paimon hold while they commit.

They take the same lock: exclusive, of the table, without a transaction. The Metastore ends locks of which nothing is
heard for `hive.txn.timeout`, 300 s by default, if its housekeeping runs. This lock is held for less, so that it needs
no heartbeat; one that a killed process of Packhouse left is ended by the next.
"""

import getpass
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any, Final, Self
from uuid import uuid4

from hive_metastore.ttypes import (
    CheckLockRequest,
    LockComponent,
    LockLevel,
    LockRequest,
    LockState,
    LockType,
    NoSuchLockException,
    ShowLocksRequest,
    TxnAbortedException,
    UnlockRequest,
)
from thrift.Thrift import TException
from thrift.transport.TTransport import TTransportException

from engine.domain.clock import doubled
from engine.domain.errors import LockHeld
from engine.formats.intake.errors import printable
from engine.formats.intake.limits import Malformed
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

AGENT: Final = "packhouse"
"""The program that Packhouse's locks state; an id of each lock follows it."""

WAIT_SECONDS: Final = 60.0
"""Longest wait for a lock that others hold."""

HELD_SECONDS: Final = 90.0
"""A change that would be sent later after the lock was given is not sent."""

LEFT_SECONDS: Final = 240.0
"""Age of a lock of Packhouse that its process must have left: it sends nothing after `HELD_SECONDS`, and its last call
ends 60 s later."""

_FIRST_WAIT_SECONDS: Final = 0.05
_LONGEST_WAIT_SECONDS: Final = 2.0
_SHOWN: Final = 100


class MetastoreLock:
    """Context manager that holds the exclusive lock of a table.

    `reconnect` opens another session, which ends the lock if the connection of `client` broke, as in a failover. With
    `is_needed` the lock does not end with the block: a change that was sent may still take effect.

    Entering it raises:
        LockHeld: others hold it for longer than `WAIT_SECONDS`; the message says who.
        TException: the Metastore refuses or does not answer.
    """

    def __init__(
        self, client: Any, database: str, table: str, reconnect: Callable[[], AbstractContextManager[Any]]
    ) -> None:
        self._client, self._database, self._table = client, database, table
        self._reconnect, self._agent = reconnect, f"{AGENT} {uuid4().hex}"
        self._lock = -1
        self.is_needed = False
        self.since = 0.0
        """Time of `time.monotonic` before it was given."""

    def __enter__(self) -> Self:
        component = LockComponent(LockType.EXCLUSIVE, LockLevel.TABLE, self._database, self._table)
        request = LockRequest([component], user=_user(), hostname=socket.gethostname()[:_SHOWN], agentInfo=self._agent)
        self.since = time.monotonic()
        try:
            answer = self._client.lock(request)
        except (TTransportException, OSError):
            self._end_elsewhere()
            raise
        self._lock = answer.lockid
        try:
            self._wait(answer.state)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_raised: object) -> None:
        if not self.is_needed:
            self._end()

    @property
    def is_outlived(self) -> bool:
        """Whether the lock may have been taken over; asked before a change is sent."""
        return time.monotonic() > self.since + HELD_SECONDS

    def is_confirmed(self) -> bool:
        """Ask the Metastore whether it still counts, and let it count from now on. Raises `TException`."""
        try:
            return bool(self._client.check_lock(CheckLockRequest(self._lock)).state == LockState.ACQUIRED)
        except (NoSuchLockException, TxnAbortedException):
            return False

    def _wait(self, state: int) -> None:
        until, tries = time.monotonic() + WAIT_SECONDS, 0
        while state == LockState.WAITING:
            stop_if_abandoned()
            holders = self._holders()
            if left := [each for each in holders if self._is_left(each)]:
                for each in left:
                    with suppress(TException):  # ended meanwhile
                        self._client.unlock(UnlockRequest(each.lockid))
            elif time.monotonic() > until:
                raise LockHeld(f"the lock of {self._database}.{self._table} is held by {_named(holders)}")
            tries += 1
            time.sleep(doubled(_FIRST_WAIT_SECONDS, tries, longest=_LONGEST_WAIT_SECONDS))
            self.since = time.monotonic()
            state = self._client.check_lock(CheckLockRequest(self._lock)).state
        if state != LockState.ACQUIRED:
            name = LockState._VALUES_TO_NAMES.get(state, state)  # noqa: SLF001 - the library has no other way
            raise LockHeld(f"the Metastore does not give the lock of {self._database}.{self._table}: {name}")

    def _holders(self) -> list[Any]:
        answer = self._client.show_locks(ShowLocksRequest(self._database, self._table))
        self._now_ms = max((each.lastheartbeat or 0 for each in answer.locks if each.lockid == self._lock), default=0)
        return [each for each in answer.locks if each.lockid != self._lock and each.state == LockState.ACQUIRED]

    def _is_left(self, other: Any) -> bool:
        """Return whether a process of Packhouse left a lock, by the Metastore's own clock."""
        at_ms = max(other.lastheartbeat or 0, other.acquiredat or 0)
        return str(other.agentInfo).startswith(AGENT) and 0 < at_ms < self._now_ms - LEFT_SECONDS * 1000

    def _end(self) -> None:
        try:
            self._client.unlock(UnlockRequest(self._lock))
        except (TTransportException, OSError):
            self._end_elsewhere()
        except TException:  # it ended with its time, or was never given
            pass

    def _end_elsewhere(self) -> None:
        """End the lock through another connection, found by its agent, as its number may not have arrived."""
        with suppress(TException, OSError, Malformed), self._reconnect() as client:
            for each in client.show_locks(ShowLocksRequest(self._database, self._table)).locks:
                if each.agentInfo == self._agent:
                    client.unlock(UnlockRequest(each.lockid))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return AGENT


def _named(holders: list[Any]) -> str:
    """Return the names of those who hold a lock, as they state them."""
    named = [f"{each.user}@{each.hostname} ({each.agentInfo}, lock {each.lockid})" for each in holders[:3]]
    return printable(", ".join(named)[: 3 * _SHOWN], " ") or "another client"
