"""Calendar and time zone of a group's dates and timestamps: equal in all of its files, or the group is refused.

Readers interpret stored days and instants by the footer of their file: in the proleptic or in the hybrid Julian
calendar, converted between time zones or not. Spark decides by its version and the `org.apache.spark.legacy…` keys, and
by the session's configuration where they are absent; Hive by its `writer.…` keys and, as Impala and Spark, by
`created_by` whether INT96 timestamps were converted to UTC. The footers of files without dates and timestamps do not
matter.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final

from engine.domain.errors import NotEligible
from engine.formats.hive.files.footers import INT96, SPARK_VERSION, TIME_KEYS, Footer, Stored

_LONGEST: Final = 1000
_CALENDAR_CHANGES: Final = ("3.0.0", "3.1.0")
"""Versions of Spark since which dates and INT96 timestamps are proleptic; Spark compares them as texts too."""

_PARQUET_MR: Final = "parquet-mr"
_REMEDY: Final = "write the partition with one engine (INSERT OVERWRITE) to have it merged"
_WITH_CALENDAR: Final = ('"Type": "Date"', '"Type": "Timestamp"')


def time_keys(footers: Sequence[Footer]) -> Mapping[str, str]:
    """Return the key-value metadata of outputs: that of all files, with the newest of versions that mean the same.

    Raises:
        NotEligible: files with dates or timestamps differ.
    """
    dated = [each for each in footers if _has_leaf(each, _has_calendar)]
    for key in TIME_KEYS:
        if any(len(each.time_keys.get(key, "")) > _LONGEST for each in dated):
            raise NotEligible(f"{key} has more than {_LONGEST} characters in the footer of a file: {_REMEDY}")
        values = {_meaning(key, each.time_keys.get(key)): each.time_keys.get(key) for each in dated}
        if len(values) > 1:
            one, other, *_ = map(_shown, values.values())
            raise NotEligible(
                f"{key} is {one} in the footer of one file and {other} in that of another, so that readers may use "
                f"different calendars or time zones for their dates and timestamps: {_REMEDY}"
            )
    newest = max(dated, key=lambda each: each.time_keys.get(SPARK_VERSION, ""), default=None)
    return {} if newest is None else dict(newest.time_keys)


def names_parquet_mr(footers: Sequence[Footer]) -> bool:
    """Return whether the INT96 timestamps of the files come from parquet-mr, the library of Hive and Spark.

    Raises:
        NotEligible: those of some files only.
    """
    of_files = [each.created_by for each in footers if _has_leaf(each, _is_int96)]
    writers = {each.startswith(_PARQUET_MR): each for each in of_files}
    if len(writers) > 1:
        raise NotEligible(
            f"INT96 timestamps were written by {_shown(writers[True])} in one file and by {_shown(writers[False])} in "
            f"another, and Hive and Impala convert the time zone of {_PARQUET_MR}'s only: {_REMEDY}"
        )
    return True in writers


def _has_leaf(footer: Footer, fits: Callable[[Stored], bool]) -> bool:
    return any(fits(leaf) for column in footer.stored for leaf in column)


def _is_int96(leaf: Stored) -> bool:
    return leaf.physical_type == INT96


def _has_calendar(leaf: Stored) -> bool:
    return _is_int96(leaf) or any(each in leaf.logical_type for each in _WITH_CALENDAR)


def _meaning(key: str, value: str | None) -> Hashable:
    if key == SPARK_VERSION and value is not None:
        return tuple(value < each for each in _CALENDAR_CHANGES)
    return value


def _shown(value: str | None) -> str:
    return "absent" if value is None else repr(value[:100])
