"""Answers of a Metastore in Thrift's binary protocol, read completely and measured before objects are made of them.

Thrift limits the length of each text and each list, not what they hold together: a byte can become a struct of 330
bytes in memory. So an answer is first walked by Thrift's C extension, which finds its end and makes nothing.

Memory: an answer and its objects, at most `MOST_MEMORY`.
"""

from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TType
from thrift.transport.TTransport import CReadableTransport, TTransportBase

from engine.formats.intake.catalogs.metastores.sockets import AnswerSocket
from engine.formats.intake.limits import Malformed

MOST_MEMORY: Final = 256 * 2**20
"""Limit of the bytes that one answer takes, with its objects. A million names of 64 characters take 190 MB."""

_LONGEST_TEXT: Final = 64 * 2**20
_LONGEST_LIST: Final = 2_000_000
_READ_BYTES: Final = 256 * 2**10
_STRUCT_BYTES: Final = 340  # of `Table`, the largest one, measured with tracemalloc, and its place in a list
_TEXT_BYTES: Final = 65
_NUMBER_BYTES: Final = 40
_CONTAINER_BYTES: Final = 120
_ENTRY_BYTES: Final = 100  # of a dict
_WIDEST_CHARACTER: Final = 4  # bytes of each character in memory, if one is beyond the Basic Multilingual Plane
_WIDTHS: Final = {
    TType.BOOL: 1,
    TType.BYTE: 1,
    TType.I16: 2,
    TType.I32: 4,
    TType.I64: 8,
    TType.DOUBLE: 8,
    TType.UUID: 16,
}
_LEAST_NUMBER: Final = 4  # bytes of the shortest number that is an object of its own
_LENGTH_BYTES: Final = 4
_FIELD_BYTES: Final = 3  # type and id


class _Nothing:
    """A struct without known fields: the decoder skips all."""

    thrift_spec = ()


def protocol_on(socket: AnswerSocket) -> TBinaryProtocolAccelerated:
    """Return the protocol for a client on an open connection. Reading raises Malformed for an answer too large."""
    return _protocol(_Answers(socket))


def _protocol(transport: TTransportBase) -> TBinaryProtocolAccelerated:
    protocol = TBinaryProtocolAccelerated(
        transport, fallback=False, string_length_limit=_LONGEST_TEXT, container_length_limit=_LONGEST_LIST
    )
    decode = protocol._fast_decode  # noqa: SLF001 - what generated code calls

    def decoded(*arguments: Any) -> Any:
        try:
            return decode(*arguments)
        except TypeError as error:  # of the extension, for other types than it knows or expects
            raise TProtocolException(TProtocolException.INVALID_DATA, f"an answer is damaged: {error}") from error

    protocol._fast_decode = decoded  # noqa: SLF001
    return protocol


class _Answers(TTransportBase, CReadableTransport):  # type: ignore[misc] # the library has no types
    """A transport of one call after the other, whose answers are complete and measured when they are read."""

    def __init__(self, socket: AnswerSocket) -> None:
        self._socket = socket
        self._request: list[bytes] = []
        self._answer: BytesIO | None = None

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def write(self, buf: bytes) -> None:
        """Add to the request."""
        self._request.append(buf)

    def flush(self) -> None:
        """Send the request."""
        request, self._request, self._answer = b"".join(self._request), [], None
        self._socket.write(request)

    def read(self, sz: int) -> bytes:
        """Return the next bytes of the answer."""
        return self.cstringio_buf.read(sz)

    @property
    def cstringio_buf(self) -> BytesIO:
        """The answer, read to where it was decoded."""
        if self._answer is None:
            self._answer = BytesIO(_whole_answer(self._socket))
        return self._answer

    def cstringio_refill(self, _partialread: bytes, reqlen: int) -> BytesIO:
        """Raise, as the answer is complete."""
        raise EOFError(f"the answer ends {reqlen} bytes too early")


def _whole_answer(socket: AnswerSocket) -> bytes:
    """Return the next message on a connection. Raises Malformed, TException, OSError."""
    received = _Received(socket.read)
    protocol = _protocol(received)
    protocol.readMessageBegin()
    start = received.at
    protocol._fast_decode(_Nothing(), protocol, [_Nothing, _Nothing.thrift_spec])  # noqa: SLF001 - as generated code
    body = received.body()
    check_memory(body, start)
    return body


class _Received(TTransportBase, CReadableTransport):  # type: ignore[misc]
    """Bytes of a connection, all of which are kept."""

    def __init__(self, receive: Callable[[int], bytes]) -> None:
        self._receive = receive
        self._parts: list[bytes] = []
        self._buffer = BytesIO()

    @property
    def at(self) -> int:
        """The number of bytes that were decoded."""
        buffered = len(self._buffer.getbuffer())
        return sum(map(len, self._parts)) - buffered + self._buffer.tell()

    def body(self) -> bytes:
        """Return all bytes."""
        return b"".join(self._parts)

    def read(self, sz: int) -> bytes:
        """Return the next bytes, at least one."""
        return self._buffer.read(sz) or self.cstringio_refill(b"", 1).read(sz)

    @property
    def cstringio_buf(self) -> BytesIO:
        """The bytes that were received and not decoded."""
        return self._buffer

    def cstringio_refill(self, partialread: bytes, reqlen: int) -> BytesIO:
        """Receive at least as many bytes as are required, after those that the decoder has taken."""
        parts, size = [partialread], len(partialread)
        while size < reqlen:
            part = self._receive(_READ_BYTES)
            self._parts.append(part)
            parts.append(part)
            size += len(part)
        self._buffer = BytesIO(b"".join(parts))
        return self._buffer


def check_memory(body: bytes, start: int, limit: int = MOST_MEMORY) -> None:
    """Check the memory that a struct takes when it is decoded.

    Args:
        body: what Thrift's decoder has walked.
        start: where the struct begins.
        limit: in bytes.

    Raises:
        Malformed: it takes more.
    """
    # Each struct ends with a zero byte, and the length of a text or a list begins with one. This finds almost all
    # answers small enough, in no time.
    if body.count(0) * _STRUCT_BYTES + len(body) * (1 + _NUMBER_BYTES // _LEAST_NUMBER) > limit:
        _MemoryMeter(body, limit).value(TType.STRUCT, start)


class _MemoryMeter:
    """Adds up what the values of an answer take in memory, about 3 million in a second."""

    def __init__(self, body: bytes, limit: int) -> None:
        self._body = body
        self._limit = limit
        self._left = limit - len(body)

    def value(self, kind: int, at: int) -> int:
        """Return the end of a value that begins at a byte. Raises Malformed."""
        body = self._body
        if kind == TType.STRING:
            start = at + _LENGTH_BYTES
            end = start + self._length(at)
            self._take(_TEXT_BYTES + (end - start) * (1 if body[start:end].isascii() else _WIDEST_CHARACTER))
            return end
        if kind == TType.STRUCT:
            self._take(_STRUCT_BYTES)
            while inner := body[at]:
                at = self.value(inner, at + _FIELD_BYTES)
            return at + 1
        if kind in (TType.LIST, TType.SET):
            return self._items([body[at]], self._length(at + 1), at + 1 + _LENGTH_BYTES)
        if kind == TType.MAP:
            return self._items([body[at], body[at + 1]], self._length(at + 2), at + 2 + _LENGTH_BYTES)
        self._take(_NUMBER_BYTES)
        return at + _WIDTHS[kind]

    def _items(self, kinds: list[int], count: int, at: int) -> int:
        self._take(_CONTAINER_BYTES + count * (_ENTRY_BYTES if len(kinds) > 1 else 0))
        if all(kind in _WIDTHS for kind in kinds):
            self._take(count * _NUMBER_BYTES)
            return at + count * sum(_WIDTHS[kind] for kind in kinds)
        for _ in range(count):
            for kind in kinds:
                at = self.value(kind, at)
        return at

    def _length(self, at: int) -> int:
        return int.from_bytes(self._body[at : at + _LENGTH_BYTES])

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise Malformed(f"an answer of the Metastore takes more than {self._limit // 2**20} MiB of memory")
