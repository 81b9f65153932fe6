"""Format figures, partitions and counts for explanations."""

import re
from typing import Final

from engine.domain.policies import Metric, MetricKind
from engine.domain.values.partitions import WHOLE_TABLE, partition_text
from engine.domain.values.units import format_bytes, round_duration
from engine.planning.due.triggers import PartitionRef, is_percent

_LONGEST_NAME: Final = 60
_FOLDERS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*:/)?/?(?:[^\s/,;:]+/){2,}(?=[^\s/])")
"""The folders of a path in a text, two at least."""


def figure(metric: str, value: float) -> str:
    """Return a measured or required value of a metric as text."""
    if is_percent(metric):
        return f"{value:.0f} %"
    match Metric[metric.upper()].kind:
        case MetricKind.SIZE:
            return format_bytes(value)
        case MetricKind.DURATION:
            return round_duration(value)
        case MetricKind.RATIO:
            return f"{100 * value:.3g} %"
        case MetricKind.COUNT:
            return f"{value:.0f}"


def place(partition: PartitionRef) -> str:
    """Return a partition and its size as text."""
    name, files = place_name(partition.partition), count_of(partition.file_count, "file")
    return f"{name} with {files} ({format_bytes(partition.total_bytes)})"


def place_name(partition: str) -> str:
    """Return a partition, given as canonical JSON, as a name in a sentence."""
    text = partition_text(partition)
    return f"the {text}" if text == WHOLE_TABLE else short(text, _LONGEST_NAME)


def count_of(count: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentence(text: str) -> str:
    """Return a clause as a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


def short_detail(text: str, most: int) -> str:
    """Return the detail of a run in at most `most` characters.

    A longer one has only the names of files, without their folders; then its end is cut off.
    """
    named = text if len(text) <= most else _FOLDERS.sub("…/", text)
    return named if len(named) <= most else f"{named[: most - 1]}…"


def short(text: str, most: int) -> str:
    """Return a text of at most `most` characters; the middle of a longer one is cut out."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"
