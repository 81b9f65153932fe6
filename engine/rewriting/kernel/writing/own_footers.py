"""Footers that Arrow can't write: INT96 timestamps, and the name of parquet-mr as the writer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.thrift import Struct
from engine.rewriting.kernel.storage.transfer import OutputSink, WriteOnly

_END_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class OwnFooter:
    """A footer in place of Arrow's.

    `end`: returns the end of a file, from the metadata that Arrow wrote. `unordered_ids`: field ids of leaves whose
    bytes do not compare as their values do: they have no bounds.
    """

    end: Callable[[Struct], bytes]
    unordered_ids: frozenset[int]


class OwnFooterStream(WriteOnly):
    """The stream of an encoder whose footer is replaced: it holds what is written after `begin_footer`."""

    def __init__(self, sink: OutputSink, footer: OwnFooter) -> None:
        self.closed = False
        self._sink = sink
        self._footer = footer
        self._held: bytearray | None = None

    def write(self, data: Any) -> int:
        """Write or hold data. Raises Stopped, OutputFault."""
        if self._held is None:
            return self._sink.write(data)
        view = memoryview(data).cast("B")
        self._held += view
        return len(view)

    def begin_footer(self) -> None:
        """Hold what is written from now on."""
        self._held = bytearray()

    def finish(self) -> None:
        """Write what was held, with the own footer. Raises Stopped, OutputFault."""
        held = bytes(self._held or b"")
        length = int.from_bytes(held[-_END_BYTES:-4], "little")
        start = len(held) - _END_BYTES - length
        found, _ = thrift.read_struct(held[start:-_END_BYTES])
        self._sink.begin_footer()
        self._sink.write(held[:start] + self._footer.end(found))

    def tell(self) -> int:
        """Return the number of bytes written and held."""
        return self._sink.tell() + len(self._held or b"")

    def close(self) -> None:
        """Leave closing to the sink."""
        self.closed = True
