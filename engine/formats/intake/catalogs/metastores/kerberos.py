"""Kerberos for connections to a Metastore, by the GSSAPI of this machine; each failure has a sentence of its own.

Tickets and keytabs are those of the process: `KRB5_CLIENT_KTNAME` and `KRB5CCNAME` in its environment, realms in
`KRB5_CONFIG`. No catalog names or contains one. The calls ask the KDC, within the limits of the library of Kerberos.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.catalogs.metastores.errors import WrongAccess

KERBEROS_ENABLED: Final = "hive.kerberos-authentication"

_KRB5: Final = -1765328384  # the base of the library's codes
_NO_TICKET: Final = "set KRB5_CLIENT_KTNAME to a keytab, or KRB5CCNAME to a ticket cache, for api and workers"
_OTHERWISE: Final = "check keytab and principals with `kinit` and `kvno`"
_OTHER_SERVICE: Final = (
    "write the host in `uri` as in the Metastore's principal, and what stands before the host there as "
    "`hive.kerberos-service-name`, if that is not hive"
)
_OTHER_CLOCK: Final = "correct the clock of this machine, of the KDC or of the Metastore"
_REMEDIES: Final = {
    _KRB5 + 6: ("the KDC does not know the principal of the keytab", "create it, or export the keytab again"),
    _KRB5 + 7: ("the KDC does not know the service", _OTHER_SERVICE),
    _KRB5 + 24: ("the KDC refuses the key of the keytab", "export the keytab again: its key was changed"),
    _KRB5 + 31: ("the KDC has another key than the keytab", "export the keytab again: its key was changed"),
    _KRB5 + 32: ("the ticket has expired", f"renew it, or {_NO_TICKET}"),
    _KRB5 + 37: ("the clocks differ", _OTHER_CLOCK),
    _KRB5 + 148: ("the clocks differ", _OTHER_CLOCK),
    _KRB5 + 154: ("Kerberos does not know a KDC of the realm", "correct KRB5_CONFIG"),
    _KRB5 + 141: ("there is no ticket", _NO_TICKET),
    _KRB5 + 195: ("there is no ticket", _NO_TICKET),
}
"""Failure and remedy for each code of MIT Kerberos (`krb5.h`)."""
_UNREACHABLE: Final = (_KRB5 + 156, _KRB5 + 220)  # no answer, or no address of its name


class KerberosContext:
    """The client's side of one authentication, and afterwards the protection of what is sent.

    Its methods raise WrongAccess, and TTransportException without an answer of the KDC.
    """

    def __init__(self, service: str, host: str, address: str) -> None:
        self._service = f"{service}@{host}"
        self._address = address
        try:
            import gssapi  # noqa: PLC0415 - an extra, which has to be compiled where it is installed
        except (ImportError, OSError) as error:
            remedy = "install packhouse-server[kerberos] and the Kerberos library where api and workers run"
            raise WrongAccess(f"Kerberos is not installed here ({error})", remedy) from error
        flags = gssapi.RequirementFlag
        with self._asking():
            self._context = gssapi.SecurityContext(
                name=gssapi.Name(self._service, gssapi.NameType.hostbased_service),
                mech=gssapi.MechType.kerberos,
                flags=flags.mutual_authentication | flags.integrity | flags.confidentiality | flags.replay_detection,
                usage="initiate",
            )

    @property
    def is_complete(self) -> bool:
        """Whether both sides are authenticated."""
        return bool(self._context.complete)

    def step(self, token: bytes | None) -> bytes:
        """Return the answer to a token of the server, empty if it needs none. None: the first token is returned."""
        with self._asking():
            return self._context.step(token) or b""

    def wrap(self, text: bytes, *, is_secret: bool) -> bytes:
        """Return bytes with a proof of their sender, encrypted if they are secret."""
        with self._asking():
            return bytes(self._context.wrap(text, is_secret).message)

    def unwrap(self, wrapped: bytes) -> bytes:
        """Return bytes whose sender was proved."""
        with self._asking():
            return bytes(self._context.unwrap(wrapped).message)

    def size_limit(self, most: int, *, is_secret: bool) -> int:
        """Return the number of bytes that have at most `most` when they are wrapped."""
        with self._asking():
            return int(self._context.get_wrap_size_limit(most, is_secret))

    @contextmanager
    def _asking(self) -> Iterator[None]:
        from gssapi.raw import GSSError  # noqa: PLC0415 - see above

        try:
            yield
        except GSSError as error:
            raise self._failure(error) from error

    def _failure(self, error: Any) -> TTransportException:
        code = error.min_code - 2**32 if error.min_code >= 2**31 else error.min_code
        reason = f"Kerberos for {self._service} at {self._address}"
        detail = (error.get_all_statuses(error.min_code, is_maj=False) or [str(error)])[0]
        if code in _UNREACHABLE:
            return TTransportException(TTransportException.NOT_OPEN, f"{reason}: no KDC answers ({detail})")
        found, remedy = _REMEDIES.get(code, ("it failed", _OTHERWISE))
        return WrongAccess(f"{reason}: {found} ({detail})", remedy)
