"""Retention of snapshots by a table's own options, as Paimon 1.4 reads them, and by its consumers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from engine.domain.errors import NotEligible
from engine.formats.intake.documents import Document
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.files import TableFiles

_log = structlog.get_logger(__name__)

TIME_RETAINED: Final = "snapshot.time-retained"
LEAST_RETAINED: Final = "snapshot.num-retained.min"
DEFAULT_TIME: Final = timedelta(hours=1)
"""Paimon's default of `snapshot.time-retained`."""

_DURATION: Final = re.compile(r"([0-9]{1,18})\s*([a-zµ]*)")
_UNITS: Final[Mapping[timedelta, tuple[str, ...]]] = {
    timedelta(days=1): ("d", "day", "days"),
    timedelta(hours=1): ("h", "hour", "hours"),
    timedelta(minutes=1): ("min", "m", "minute", "minutes"),
    timedelta(seconds=1): ("s", "sec", "secs", "second", "seconds"),
    timedelta(milliseconds=1): ("", "ms", "milli", "millis", "millisecond", "milliseconds"),
    timedelta(microseconds=1): ("µs", "micro", "micros", "microsecond", "microseconds"),
}
_NANOSECONDS: Final = ("ns", "nano", "nanos", "nanosecond", "nanoseconds")
_NUMBER: Final = re.compile(r"[0-9]{1,10}")
_CONSUMER_BYTES: Final = 4096
_CONSUMER_VALUES: Final = 100


def time_retained(options: Mapping[str, str]) -> timedelta:
    """Return the age up to which the table keeps snapshots by its own option, 0 if it has none.

    Raises:
        NotEligible: it is not a duration.
    """
    given = options.get(TIME_RETAINED)
    if given is None:
        return timedelta(0)
    found = _DURATION.fullmatch(given.strip().lower())
    unit = None if found is None else next((size for size, names in _UNITS.items() if found[2] in names), None)
    if found is not None and found[2] in _NANOSECONDS:
        return timedelta(microseconds=int(found[1]) // 1000)
    if found is None or unit is None:
        raise NotEligible(f"the table option {TIME_RETAINED} is {given[:40]!r}, which is not a duration such as '5 d'")
    try:
        return int(found[1]) * unit
    except OverflowError:
        return timedelta.max


def least_retained(options: Mapping[str, str]) -> int:
    """Return how many snapshots the table keeps at least by its own option, 0 if it has none.

    Raises:
        NotEligible: it is not a number.
    """
    given = options.get(LEAST_RETAINED, "0").strip()
    if not _NUMBER.fullmatch(given):
        raise NotEligible(f"the table option {LEAST_RETAINED} is {given[:40]!r}, which is not a number")
    return int(given)


@dataclass(frozen=True, slots=True)
class Consumers:
    """The snapshots that the consumers of a table read next.

    Attributes:
        oldest: the smallest snapshot id; None without consumers that can be read.
        unreadable: paths of the files of others, for example while their reader replaces them: they may need all.
    """

    oldest: int | None
    unreadable: Sequence[str]


def consumers_of(files: TableFiles) -> Consumers:
    """Return the consumers of a table. Raises OSError if the store does not answer."""
    folder = f"{files.location}/consumer"
    paths = [f"{folder}/{each}" for each in files.storage.files(folder) if each.startswith("consumer-")]
    numbers, unreadable = list[int](), list[str]()
    for path in paths:
        try:
            with decoding_file(path):
                body = files.storage.read_if_present(path, _CONSUMER_BYTES)
                if body is not None:
                    numbers.append(Document.parse(body, most_values=_CONSUMER_VALUES).whole("nextSnapshot"))
        except Malformed as error:
            _log.warning("consumer_not_read", error=str(error))
            unreadable.append(path)
    return Consumers(min(numbers, default=None), unreadable)
