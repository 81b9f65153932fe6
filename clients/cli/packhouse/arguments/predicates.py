"""Partition predicates on the command line: `ordered_at=2026-11-01`, `id>=6`, `region!=eu`, or the API's JSON.

The name is that of the source column of the partition field, even if the partition is its day or hour. Conditions by
`=` on one column are alternatives; all others are combined by AND. A value is text unless it is a JSON number, `true`
or `false`; quotes keep it text, `null` selects partitions without a value.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

_WORD: Final = re.compile(r"(?P<column>[^<>=!]+?)\s*(?P<sign>>=|<=|!=|=|>|<)\s*(?P<value>.*)", re.DOTALL)
_OPERATORS: Final = {"=": "eq", "!=": "ne", ">": "gt", ">=": "ge", "<": "lt", "<=": "le"}


def predicate_of(words: Iterable[str]) -> dict[str, Any] | None:
    """Return the typed predicate of the words, None without words.

    Raises:
        CommandError: a word is not a condition.
    """
    parts: list[dict[str, Any]] = []
    for word in words:
        condition = _condition(word)
        earlier = next((p for p in parts if _is_equality(p, condition)), None)
        if earlier is None:
            parts.append(condition)
        else:
            values = earlier.pop("values", None) or [earlier.pop("value")]
            earlier |= {"op": "in", "values": [*values, condition["value"]]}
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else {"and": parts}


def _condition(word: str) -> dict[str, Any]:
    if word.lstrip().startswith("{"):
        try:
            found: dict[str, Any] = json.loads(word)
        except ValueError as error:
            raise CommandError(f"{word!r} is not JSON: {error}", ExitCode.USAGE) from None
        return found
    match = _WORD.fullmatch(word.strip())
    if match is None:
        hint = 'write column=2026-11-01, column>=6, or JSON: {"column": "day", "op": "in", "values": ["2026-11-01"]}'
        raise CommandError(f"{word!r} is not a condition on a partition", ExitCode.USAGE, hint)
    column, operator, text = match["column"], _OPERATORS[match["sign"]], match["value"]
    if text == "null" and operator in ("eq", "ne"):
        return {"column": column, "op": "is_null" if operator == "eq" else "is_not_null"}
    return {"column": column, "op": operator, "value": _value(text)}


def _value(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, str | int | float | bool) else text


def _is_equality(earlier: dict[str, Any], condition: dict[str, Any]) -> bool:
    return (
        condition.get("op") == "eq"
        and earlier.get("op") in ("eq", "in")
        and earlier.get("column") == condition["column"]
    )
