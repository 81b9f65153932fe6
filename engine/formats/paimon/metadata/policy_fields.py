"""Policy fields that a table's own options set; policies and presets override them.

`num-sorted-run.compaction-trigger` is not read: writers with `write-only` don't compact, so that the policy's trigger
decides. `lookup-compact` is `radical` by default, and has an effect where the core looks up old rows only.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.domain.policies import FORCED_EVERY, LOOKUP, STOP_TRIGGER
from engine.formats.intake.table_settings import IgnoredProperty, rewrite_setting
from engine.formats.paimon.metadata.options import TableOptions

_TARGET: Final = "target-file-size"
_SIZE: Final = re.compile(r"(\d{1,15})\s*(b|bytes|(?:[kmgt]b?|(?:kibi|mebi|gibi|tebi)bytes))?", re.ASCII)
_MOST: Final = 2**31 - 1
_MOST_COMMITS: Final = 100
"""The largest value of `rewrite.key_tables.forced_every`."""


def policy_fields(options: TableOptions, given: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the policy fields by dotted name. `given`: the options as the table's schema has them."""
    found: dict[str, Any] = {}
    if isinstance(target := _target(given), int):
        found["rewrite.target_file_bytes"] = target
    if (stop := stop_trigger(options, given)) is not None:
        found[STOP_TRIGGER] = stop
    if options.looks_up:
        is_gentle = given.get("lookup-compact", "").strip().lower() == "gentle"
        found[LOOKUP] = "lazy" if is_gentle else "eager"
        interval = _number(given, "lookup-compact.max-interval", least=1) if is_gentle else None
        if interval is not None:
            found[FORCED_EVERY] = min(_MOST_COMMITS, interval)
    return found


def ignored_options(given: Mapping[str, str]) -> Sequence[IgnoredProperty]:
    """Return the options that would set a field of the policy, with values that it can't have."""
    return [each for each in (_target(given),) if isinstance(each, IgnoredProperty)]


def _target(given: Mapping[str, str]) -> int | IgnoredProperty | None:
    """Return the option `target-file-size` in bytes; None without it.

    Paimon's units are binary, `MemorySize.parse`: `128 mb` and `128m` are 128 MiB.
    """
    if (text := given.get(_TARGET)) is None:
        return None
    written = _SIZE.fullmatch(text.strip().lower())
    if written is None:
        return IgnoredProperty.of(_TARGET, text, "not a size such as '128 mb'")
    size = int(written[1]) * 1024 ** "bkmgt".index((written[2] or "b")[0])
    target: int | IgnoredProperty = rewrite_setting("target_file_bytes", size, name=_TARGET, written=text)
    return target


def stop_trigger(options: TableOptions, given: Mapping[str, str]) -> int | None:
    """Return the sorted runs of a bucket at which the table's option stops its writers; None without the option."""
    return None if options.merge_engine is None else _number(given, "num-sorted-run.stop-trigger", least=2)


def _number(given: Mapping[str, str], name: str, *, least: int) -> int | None:
    """Return an option as a whole number; None without it, and for a value that the core refuses."""
    text = given.get(name, "").strip()
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST))
    return int(text) if is_number and least <= int(text) <= _MOST else None
