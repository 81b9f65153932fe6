"""Differences between two documents, by leaf. Sizes and durations are compared by value: `6h` equals `360m`.

The server returns sizes as integers and durations in their short form, and fills in defaults within sections and lists
of policies (`policy-fields.json`); these are not counted as differences.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from packhouse.output import flat

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGTP]?)(i?)B")
_SHORT: Final = re.compile(r"(?:\d+(?:\.\d+)?[smhdw])+")
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_ISO: Final = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def differences(present: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """Yield one line for each leaf to add (`+`), remove (`-`) or change (`~`)."""
    before, after = (dict(flat(_filled_in("", each))) for each in (present, wanted))
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if _meaning(old) == _meaning(new):
            continue
        if old is None:
            yield f"+ {name}: {_shown(new)}"
        elif new is None:
            yield f"- {name}: {_shown(old)}"
        else:
            yield f"~ {name}: {_shown(old)} → {_shown(new)}"


def _filled_in(section: str, value: Any) -> Any:
    """Return a value with the defaults that the server fills in where a section, or an entry of a list, is given."""
    match value:
        case Mapping():
            given = {name: _filled_in(name, inner) for name, inner in value.items()}
            return {**_defaults().get(section, {}), **{name: each for name, each in given.items() if each is not None}}
        case list():
            return [_filled_in(section, item) for item in value]
        case _:
            return value


@cache
def _defaults() -> dict[str, dict[str, Any]]:
    text = files(__package__).joinpath("policy-fields.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)["defaults"]
    return found


def _meaning(value: Any) -> Any:
    match value:
        case str():
            return _amount(value)
        case Mapping():
            found = {name: _meaning(inner) for name, inner in value.items() if inner is not None}
            return found or None
        case list():
            return [_meaning(item) for item in value] or None
        case _:
            return value


def _amount(text: str) -> Any:
    if match := _SIZE.fullmatch(text):
        number, prefix, binary = match.groups()
        return round(float(number) * (1024 if binary else 1000) ** " KMGTP".index(prefix.upper() or " "))
    if _SHORT.fullmatch(text):
        return "seconds", sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    if len(text) > 1 and (match := _ISO.fullmatch(text)):
        return "seconds", sum(float(n or 0) * _SECONDS[unit] for n, unit in zip(match.groups(), "wdhms", strict=True))
    return text


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
