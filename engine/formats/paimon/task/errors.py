"""Errors of the core's child JVM.

KernelError          of the kernel
├── StorageFault     of the kernel: the core could not reach an object store; it has subclasses for refused credentials
└── CoreFault        the core could not be started, ended, or raised an exception
    └── OutOfHeap    the heap of its JVM was too small
"""

import re
from collections.abc import Sequence
from typing import Final

from engine.rewriting.kernel.errors import AccessRefused, KernelError, StorageCredentialsExpired, StorageFault

_REASON_CHARACTERS: Final = 4000
_EXPIRED: Final = re.compile(r"\b(ExpiredToken|ExpiredTokenException|RequestExpired)\b")
_REFUSED: Final = re.compile(
    r"^java\.nio\.file\.AccessDeniedException|NoAuthWithAWSException|NoAwsCredentialsException|CredentialInitializ|"
    r"AWSBadRequestException|"  # the answer to a HEAD has no body with the code, such as ExpiredToken
    r"S3Exception:.*Status Code: 40[13]\b"
)
_AWAY: Final = re.compile(
    r"^java\.net\.(Connect|SocketTimeout|UnknownHost|NoRouteToHost|Socket)Exception|ConnectTimeoutException|"
    r"\.(AWSServiceThrottled|AWSStatus500|AWSApiCallTimeout|AWSClientIO)Exception|ApiCall(Attempt)?TimeoutException|"
    r"S3Exception:.*Status Code: (429|5\d\d)\b"
)
"""Classes of Hadoop's S3A file system, and of the library that it uses."""

_ADVICE: Final = re.compile(
    r"(?:\n|(?<=[.!?;])\s)\s*(?:Don't panic|You can|You may|Please|Consider|Try)\b.*", re.DOTALL
)
"""The rest of a message from the first sentence on that gives advice: it is for writers of Java, not for our users."""


class CoreFault(KernelError):
    """The core could not be started, ended during a call, or raised an exception; the text has its last messages."""


class OutOfHeap(CoreFault):
    """The heap of the child JVM was too small for the call; the JVM has ended."""


def fault_of(causes: Sequence[str]) -> KernelError:
    """Return the error for an exception of Java.

    Args:
        causes: texts of the exception and its causes, each beginning with the name of its class.
    """
    causes = [_ADVICE.sub("", text).strip() for text in causes]
    distinct = [text for at, text in enumerate(causes) if not any(text in before for before in causes[:at])]
    reason = "; caused by ".join(distinct)[:_REASON_CHARACTERS]
    for pattern, kind in ((_EXPIRED, StorageCredentialsExpired), (_REFUSED, AccessRefused), (_AWAY, StorageFault)):
        if any(pattern.search(text) for text in causes):
            return kind(reason)
    return CoreFault(reason)
