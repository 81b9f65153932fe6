"""The process of pypaimon: reads what to `do` with a table from its input, one JSON document a line, and answers.

    .cache/pypaimon/bin/python tests/support/pypaimon/reader.py

It reads by default. The answer has `rows` of a whole scan, sorted, `predicates`, the number of scans by a predicate,
and `wrong`, those with other rows than the whole scan has; or `refused`, if pypaimon does not read such tables. Other
words are functions of `writer`.
"""

import json
import operator
import sys
import traceback
from collections.abc import Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any

import writer
from pypaimon import CatalogFactory

_COMPARISONS = {
    "equal": operator.eq,
    "less_than": operator.lt,
    "less_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_or_equal": operator.ge,
}


def read(warehouse: str, table: str) -> Mapping[str, Any]:
    """Read a table as a whole, and by comparisons of each column with its least, middle and greatest values."""
    opened = CatalogFactory.create({"warehouse": warehouse}).get_table(f"lake.{table}")
    rows = _scan(opened, None)
    wrong, count = [], 0
    for at, name, value in _edges(rows, [field.name for field in opened.fields]):
        for method, holds in _COMPARISONS.items():
            count += 1
            predicate = getattr(opened.new_read_builder().new_predicate_builder(), method)(name, value)
            expected = _shown([row for row in rows if row[at] is not None and holds(row[at], value)])
            if _shown(_scan(opened, predicate)) != expected:
                wrong.append(f"{name} {method} {value!r}")
    return {"rows": _shown(rows), "predicates": count, "wrong": wrong}


def _scan(table: Any, predicate: Any) -> list[tuple[Any, ...]]:
    builder = table.new_read_builder()
    if predicate is not None:
        builder = builder.with_filter(predicate)
    found = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    return [] if found is None else list(zip(*(column.to_pylist() for column in found.columns), strict=True))


def _edges(rows: list[tuple[Any, ...]], names: list[str]) -> Iterator[tuple[int, str, Any]]:
    for at, name in enumerate(names):
        found = [row[at] for row in rows if row[at] is not None]
        values = [] if any(isinstance(each, list | dict | tuple) for each in found) else sorted(set(found))
        for value in {values[0], values[len(values) // 2], values[-1]} if values else ():
            yield at, name, value


def _shown(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Return rows as `core_process.Core.values` does."""
    return sorted(([_value(value) for value in row] for row in rows), key=str)


def _value(value: Any) -> Any:
    match value:
        case Decimal():
            return f"{value:f}"
        case date() | time():
            return value.isoformat()
        case bytes():
            return value.hex()
        case list() | tuple():
            return [_value(each) for each in value]
        case dict():
            return {name: _value(each) for name, each in value.items()}
    return value


def _answer(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        given = dict(asked)
        done = given.pop("do", "read")
        return read(**given) if done == "read" else {"done": getattr(writer, done)(**given)}
    except NotImplementedError as error:
        return {"refused": str(error)}
    except Exception as error:  # noqa: BLE001 - the caller's test fails with it
        return {"error": f"{error!r}\n{traceback.format_exc()[-3000:]}"}


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)
