"""Pypaimon as the second reader of Paimon tables, in a process and an environment of its own (`scripts/setup test`)."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import structlog

from tests.support.paimon.lakes import PaimonLake

_log = structlog.get_logger(__name__)

_ROOT: Final = Path(__file__).parents[3]
_PYTHON: Final = _ROOT / ".cache/pypaimon/bin/python"
_READER: Final = _ROOT / "tests/support/pypaimon/reader.py"

BLANK_PARTITION: Final = "a partition of no-break spaces"
"""Pypaimon 2.1 looks for it in the folder of the default partition, as Python takes these characters for blank."""


class PyPaimon:
    """The process, and counts of the tables that it read or refused, by kind, and of its scans by predicates."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.tables: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.predicates = 0

    def check(self, lake: PaimonLake, kind: str, rows: list[Any]) -> None:
        """Read a table as a whole and by predicates at the least, middle and greatest values of each column."""
        answer = self._asked({"warehouse": str(lake.root), "table": lake.name})
        if "refused" in answer:
            self.refused[f"{kind}: {answer['refused']}"] += 1
            return
        if _is_blank_to_python(rows) and answer.get("error", "").startswith("FileNotFoundError"):
            self.refused[BLANK_PARTITION] += 1
            return
        assert "error" not in answer, answer["error"]
        assert answer["rows"] == rows
        assert answer["wrong"] == [], "scans by these predicates have other rows"
        self.tables[kind] += 1
        self.predicates += answer["predicates"]

    def rows(self, lake: PaimonLake) -> list[Any]:
        """Return the rows of a table as `check` compares them."""
        answer = self._asked({"warehouse": str(lake.root), "table": lake.name})
        assert "rows" in answer, answer
        found: list[Any] = answer["rows"]
        return found

    def do(self, lake: PaimonLake, name: str, /, **arguments: Any) -> Any:
        """Change a table by a function of `pypaimon.writer`, and return its result."""
        answer = self._asked({"do": name, "warehouse": str(lake.root), "table": lake.name, **arguments})
        assert "done" in answer, answer
        return answer["done"]

    def _asked(self, question: dict[str, Any]) -> Any:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(json.dumps(question) + "\n")
        asked.flush()
        return json.loads(answers.readline() or '{"error": "the process of pypaimon has ended"}')


def _is_blank_to_python(rows: list[Any]) -> bool:
    """Return whether a row has a text that only Python takes for blank, not Java."""
    return any(
        isinstance(value, str) and value and not value.strip("\xa0\x85\u2007\u202f\t ") for row in rows for value in row
    )


@pytest.fixture(scope="module")
def pypaimon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PyPaimon]:
    """The reader, for the tests of a module."""
    log = tmp_path_factory.mktemp("pypaimon") / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [_PYTHON, _READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    with process:  # it ends at the end of its input
        reader = PyPaimon(process)
        yield reader
        _log.info("pypaimon_read", tables=reader.tables, refused=reader.refused, predicates=reader.predicates)
