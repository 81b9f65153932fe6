"""Generate the rows of the demo table: page events of a shop, in stream order. Deterministic by seed.

Types are mixed on purpose (ids that compress, sessions that do not, low-cardinality words, doubles, decimals, a list, a
struct, nulls), so that a rewrite behaves as on real tables. Vectors only: no Python object per row.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

FIRST_DAY: Final = date(2026, 11, 2)

DEVICE: Final = pa.struct([pa.field("os", pa.string()), pa.field("version", pa.int32())])
ROWS: Final = pa.schema(
    [
        pa.field("event_id", pa.int64(), nullable=False),
        pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("user_id", pa.int32(), nullable=False),
        pa.field("session", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("page", pa.string()),
        pa.field("country", pa.string()),
        pa.field("duration_seconds", pa.float64()),
        pa.field("score", pa.float32()),
        pa.field("amount", pa.decimal128(12, 2)),
        pa.field("is_mobile", pa.bool_(), nullable=False),
        pa.field("tags", pa.list_(pa.field("element", pa.string()))),
        pa.field("device", DEVICE),
    ]
)

_KINDS: Final = ("view", "view", "view", "search", "add_to_cart", "checkout", "purchase", "return")
_COUNTRIES: Final = ("DE", "FR", "PL", "NL", "US", "GB", "ES", "IT", "CH", "AT", "SE", "JP")
_SYSTEMS: Final = ("android", "ios", "windows", "macos", "linux")
_TAGS: Final = tuple(f"campaign-{at:02d}" for at in range(40))
_PAGES: Final = tuple(f"/products/{at:04d}/{_COUNTRIES[at % 12].lower()}" for at in range(3000))
_HEX: Final = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
_SESSION_CHARACTERS: Final = 24


def make_rows(*, first_id: int, days: int, rows_per_day: int, seed: int) -> pa.Table:
    """Return `rows_per_day` rows for each of `days` days starting at `FIRST_DAY`, ordered by day, then by time."""
    random = np.random.default_rng([seed, first_id])
    count = days * rows_per_day
    within = np.sort(random.integers(0, 86_400_000_000, (days, rows_per_day)), axis=1)
    at = within + (np.arange(days, dtype=np.int64) * 86_400_000_000)[:, None] + _midnight_microseconds()
    columns = {
        "event_id": pa.array(np.arange(first_id, first_id + count)),
        "at": pa.array(at.ravel()).cast(ROWS.field("at").type),
        "user_id": pa.array(random.zipf(1.3, count).clip(max=2_000_000).astype(np.int32)),
        "session": _hexadecimal(random, count),
        "kind": _words(random, _KINDS, count),
        "page": _words(random, _PAGES, count, nulls=0.05),
        "country": _words(random, _COUNTRIES, count, nulls=0.02),
        "duration_seconds": pa.array(random.exponential(30.0, count)),
        "score": pa.array(random.random(count, dtype=np.float32), mask=_flags(random, count, share=0.1)),
        "amount": _decimals(random, count),
        "is_mobile": pa.array(_flags(random, count, share=0.6)),
        "tags": _lists(random, count),
        "device": _structs(random, count),
    }
    return pa.table(columns, schema=ROWS)


def _midnight_microseconds() -> int:
    midnight = datetime.combine(FIRST_DAY, datetime.min.time(), tzinfo=UTC)
    return (midnight - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _flags(random: np.random.Generator, count: int, *, share: float) -> npt.NDArray[np.bool_]:
    flags: npt.NDArray[np.bool_] = random.random(count) < share
    return flags


def _words(random: np.random.Generator, words: tuple[str, ...], count: int, *, nulls: float = 0.0) -> pa.Array:
    codes = random.integers(0, len(words), count, dtype=np.int32)
    mask = _flags(random, count, share=nulls)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=mask), pa.array(words)).dictionary_decode()


def _hexadecimal(random: np.random.Generator, count: int) -> pa.Array:
    """Return strings that neither dictionary encoding nor compression makes much smaller."""
    text = _HEX[random.integers(0, 16, count * _SESSION_CHARACTERS, dtype=np.uint8)]
    ends = np.arange(count + 1, dtype=np.int32) * _SESSION_CHARACTERS
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends.tobytes()), pa.py_buffer(text.tobytes()))


def _decimals(random: np.random.Generator, count: int) -> pa.Array:
    cents = pa.array(random.gamma(2.0, 2500.0, count).astype(np.int64), mask=_flags(random, count, share=0.5))
    return _as_decimal(cents)


def _as_decimal(cents: pa.Array) -> pa.Array:
    """Return decimals whose unscaled values are the given cents; a cast would need a division."""
    unscaled = np.zeros((len(cents), 2), dtype=np.int64)
    unscaled[:, 0] = cents.fill_null(0).to_numpy()
    validity: Any = cents.buffers()[0]
    return pa.Array.from_buffers(ROWS.field("amount").type, len(cents), [validity, pa.py_buffer(unscaled.tobytes())])


def _lists(random: np.random.Generator, count: int) -> pa.Array:
    lengths = random.integers(0, 4, count)
    ends = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.ListArray.from_arrays(ends, _words(random, _TAGS, int(lengths.sum())), type=ROWS.field("tags").type)


def _structs(random: np.random.Generator, count: int) -> pa.Array:
    versions = pa.array(random.integers(1, 20, count, dtype=np.int32))
    return pa.StructArray.from_arrays([_words(random, _SYSTEMS, count, nulls=0.01), versions], fields=list(DEVICE))
