"""Sizes, rates and durations as people write them: `128MiB`, `50MB/s`, `400Mbit/s`, `6h`, `PT6H`.

Decimal and binary prefixes differ. Numbers are bytes, bytes per second and whole seconds. Answers contain sizes and
rates as integers, durations in the short form.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationInfo

from engine.domain.values.hints import Misread

SIZE_UNITS: Final = {
    "B": 1,
    "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
RATE_UNITS: Final = {
    "bit/s": 1, "kbit/s": 10**3, "Kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12,
    "bps": 1, "kbps": 10**3, "Kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12,
}  # fmt: skip
"""Bits per second by unit; rates in bytes are sizes with or without `/s`."""
DURATION_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
WRITTEN_SIZE: Final = r"^\s*[0-9]{1,19}(\.[0-9]{1,9})?\s*(B|[kKMGT]B|[KMGT]iB)?\s*$"
WRITTEN_RATE: Final = r"^\s*[0-9]{1,19}(\.[0-9]{1,9})?\s*((B|[kKMGT]B|[KMGT]iB)(/s)?|[kKMGT]?bit/s|[kKMGT]?bps)?\s*$"
_N: Final = "[0-9]{1,9}"
_DATE_PART: Final = f"({_N}W({_N}D)?|{_N}D)"
_TIME_PART: Final = f"T({_N}H({_N}M)?({_N}S)?|{_N}M({_N}S)?|{_N}S)"
WRITTEN_DURATION: Final = f"^({_N}[smhd]|P({_DATE_PART}({_TIME_PART})?|{_TIME_PART}))$"
MAX_SECONDS: Final = 3650 * 86_400
"""The longest duration: ten years."""
STORED_FORM: Final = "held"
"""Validation context of documents that contain durations as seconds instead of in written form."""

_SIZE: Final = re.compile(r"\s*([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*([A-Za-z]*)\s*")
_RATE: Final = re.compile(r"\s*([0-9]{1,19}(?:\.[0-9]{1,9})?)\s*([A-Za-z]+(?:/s|ps))\s*")
_SHORT: Final = re.compile(r"([0-9]{1,9})([smhd])")
_ISO: Final = re.compile(
    r"P(?=.)(?:([0-9]{1,9})W)?(?:([0-9]{1,9})D)?(?:T(?=.)(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?"
)
_ISO_SECONDS: Final = (7 * 86_400, 86_400, 3600, 60, 1)
_WORDS: Final = re.compile(r"\s*([0-9]{1,9})\s*([A-Za-z]+)\s*")
_DURATION_WORDS: Final[Mapping[str, tuple[int, str]]] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "s")),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), (1, "m")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (1, "h")),
    **dict.fromkeys(("d", "day", "days"), (1, "d")),
    **dict.fromkeys(("w", "week", "weeks"), (7, "d")),
    **dict.fromkeys(("mo", "month", "months"), (30, "d")),
    **dict.fromkeys(("y", "year", "years"), (365, "d")),
}


def parse_bytes(value: object) -> int:
    """Return bytes for an integer or a string such as `128MiB`.

    Raises:
        Misread: not a number, an unknown unit, or not a whole number of bytes; a near miss gets a hint.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Misread(f"{value!r} is not a size: write bytes as an integer, or a string such as '128MiB' or '500MB'")
    if isinstance(value, int):
        return value
    match = _SIZE.fullmatch(value)
    if match is None or (match[2] or "B") not in SIZE_UNITS:
        message = f"{_short(value)} is not a size: write bytes, or a number with one of {', '.join(SIZE_UNITS)}"
        raise Misread(message, _meant_size(match[1], match[2]) if match else "such as '128MiB' or '500MB'")
    exact = Decimal(match[1]) * SIZE_UNITS[match[2] or "B"]
    if exact != int(exact):
        raise Misread(f"{value!r} is {exact.normalize():f} bytes, which is not a whole number")
    return int(exact)


def parse_rate(value: object) -> int:
    """Return bytes per second for an integer or a string such as `50MB/s`, `50MB`, `400Mbit/s` or `400Mbps`.

    Eight bits are a byte; prefixes of bits are decimal (`Mbit` is 10^6 bits).

    Raises:
        Misread: not a number, an unknown unit, or not a whole number of bytes per second; a near miss gets a hint.
    """
    match = _RATE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return parse_bytes(value)
    number, unit = match.groups()
    if unit.endswith("/s") and unit.removesuffix("/s") in SIZE_UNITS:
        return parse_bytes(number + unit.removesuffix("/s"))
    if unit not in RATE_UNITS:
        message = (
            f"{_short(match[0])} is not a rate: write bytes per second such as '50MB/s', or bits as in '400Mbit/s'"
        )
        raise Misread(message, _meant_rate(number, unit))
    exact = Decimal(number) * RATE_UNITS[unit] / 8
    if exact != int(exact):
        raise Misread(f"{value!r} is {exact.normalize():f} bytes per second, which is not a whole number")
    return int(exact)


def parse_duration(value: object) -> int:
    """Return seconds for `45s`, `30m`, `6h`, `35d` or an ISO 8601 duration such as `PT6H`.

    Months and years are not durations here: they have no fixed length.

    Raises:
        Misread: more than `MAX_SECONDS`, or not a duration; bare numbers are refused because their unit is unknown. A
            near miss gets a hint.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        hint = f"did you mean '{format_duration(value)}'?" if value >= 0 else None
        raise Misread(f"{value} has no unit: write a duration such as '45s', '30m', '6h' or '35d'", hint)
    if not isinstance(value, str):
        raise Misread(f"{value!r} is not a duration: write a string such as '45s', '30m', '6h' or '35d'")
    text = value.strip()
    if short := _SHORT.fullmatch(text):
        return _limited(int(short[1]) * DURATION_UNITS[short[2]])
    if iso := _ISO.fullmatch(text):
        return _limited(sum(int(part) * each for part, each in zip(iso.groups("0"), _ISO_SECONDS, strict=True)))
    message = f"{_short(value)} is not a duration: write a whole number with s, m, h or d, or ISO 8601 such as 'PT6H'"
    raise Misread(message, _meant_duration(text))


def format_bytes(count: float) -> str:
    """Return a size for people, binary, three significant digits: `1.46 GiB`."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < SIZE_UNITS["KiB"]:
            return f"{size:.3g} {unit}" if unit != "B" else f"{int(size)} B"
        size /= SIZE_UNITS["KiB"]
    return f"{size:.3g} TiB"


def format_duration(seconds: int) -> str:
    """Return the exact short form, in the largest of the units d, h, m, s that divides the seconds."""
    for unit in ("d", "h", "m"):
        if seconds and seconds % DURATION_UNITS[unit] == 0:
            return f"{seconds // DURATION_UNITS[unit]}{unit}"
    return f"{seconds}s"


def round_duration(seconds: float) -> str:
    """Return a duration for people, with two units at most: `2d 3h`, `45 s`."""
    if seconds < DURATION_UNITS["m"]:
        return f"{seconds:.0f} s"
    left = int(seconds)
    parts: list[str] = []
    for unit in ("d", "h", "m"):
        count, left = divmod(left, DURATION_UNITS[unit])
        if count or parts:
            parts.append(f"{count}{unit}")
    return " ".join(part for part in parts[:2] if not part.startswith("0"))


def _limited(seconds: int) -> int:
    if seconds > MAX_SECONDS:
        raise Misread(f"{format_duration(seconds)} is longer than {format_duration(MAX_SECONDS)}")
    return seconds


def _meant_size(number: str, unit: str) -> str | None:
    letter = unit[0].upper()
    if letter == "B":
        return f"did you mean '{number}B'?"
    if letter not in "KMGT":
        return None
    return f"did you mean '{number}{letter}B' (decimal) or '{number}{letter}iB' (binary)?"


def _meant_rate(number: str, unit: str) -> str | None:
    """Return a hint with the unit that was probably meant, ignoring case, and with `MB/s` for `MBps`."""
    known = {each.casefold(): each for each in RATE_UNITS} | {
        f"{each}/s".casefold(): f"{each}/s" for each in SIZE_UNITS
    }
    text = unit.casefold()
    if unit.endswith("Bps"):
        text = f"{unit.removesuffix('ps')}/s".casefold()
    return f"did you mean '{number}{known[text]}'?" if text in known else None


def _meant_duration(text: str) -> str | None:
    match = _WORDS.fullmatch(text)
    if match is None:
        return "such as '45s', '30m', '6h' or '35d'"
    factor, unit = _DURATION_WORDS.get(match[2].casefold(), (0, ""))
    return f"did you mean '{int(match[1]) * factor}{unit}'?" if factor else None


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _size(value: Any) -> Any:
    return parse_bytes(value)


def _rate(value: Any) -> Any:
    return parse_rate(value)


def _duration(value: Any, info: ValidationInfo) -> int:
    if info.context == STORED_FORM and isinstance(value, int) and not isinstance(value, bool):
        return value
    return parse_duration(value)


_SHOWN: Final = 80

WrittenSizeText = Annotated[str, Field(pattern=WRITTEN_SIZE, examples=["128MiB", "500MB"])]
WrittenSize = Annotated[int, Field(ge=0)] | WrittenSizeText
WrittenRate = (
    Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=WRITTEN_RATE, examples=["50MB/s", "400Mbit/s"])]
)
WrittenDuration = Annotated[str, Field(pattern=WRITTEN_DURATION, examples=["45s", "30m", "6h", "35d", "PT6H"])]

ByteSize = Annotated[int, BeforeValidator(_size, json_schema_input_type=WrittenSize)]
"""A field that takes bytes as an integer or a written size and holds bytes."""

ByteRate = Annotated[int, BeforeValidator(_rate, json_schema_input_type=WrittenRate)]
"""A field that takes bytes per second as an integer or a written rate and holds bytes per second."""

Duration = Annotated[
    int,
    BeforeValidator(_duration, json_schema_input_type=WrittenDuration),
    PlainSerializer(format_duration, return_type=WrittenDuration, when_used="json"),
]
"""A field that takes a written duration, holds whole seconds and answers the short form."""
