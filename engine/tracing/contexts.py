"""Identity of a span: the W3C `traceparent` header, and the ids that each attempt of a run has.

Ids of attempts are derived from run and number. So an attempt links to the one before even if that one's worker was
killed, and nothing has to be stored for it.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Self

_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_LENGTH: Final = 55
_SAMPLED: Final = 1


@dataclass(frozen=True, slots=True)
class SpanContext:
    """Ids of a span, and whether it is recorded (`is_sampled`)."""

    trace_id: int
    span_id: int
    is_sampled: bool

    @classmethod
    def parse(cls, header: str | None) -> Self | None:
        """Return the context of a `traceparent` header; None unless it is a valid one of version 00.

        Senders choose the text: anything else is ignored, and not stored or logged.
        """
        if header is None or len(header) != _LENGTH or (found := _TRACEPARENT.fullmatch(header)) is None:
            return None
        trace_id, span_id, flags = (int(each, 16) for each in found.groups())
        return cls(trace_id, span_id, bool(flags & _SAMPLED)) if trace_id and span_id else None

    @classmethod
    def of_attempt(cls, run_id: str, number: int) -> Self:
        """Return the context of an attempt's first span, the same in every process."""
        digest = hashlib.sha256(f"packhouse.attempt.{run_id}.{number}".encode()).digest()
        return cls(int.from_bytes(digest[:16]) or 1, int.from_bytes(digest[16:24]) or 1, is_sampled=True)

    def __str__(self) -> str:
        """Return the `traceparent` header."""
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{int(self.is_sampled):02x}"
