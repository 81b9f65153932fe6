"""The table of docs/contributing/hostile-servers.md has all clients and behaviours, and names tests that exist."""

import re
from pathlib import Path

from tests.support.hostile.behaviours import Behaviour

_ROOT = Path(__file__).parents[3]


def _rows() -> list[list[str]]:
    text = (_ROOT / "docs/contributing/hostile-servers.md").read_text()
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if "---" not in line[0]]


def test_every_client_has_a_test_or_a_reason_for_every_behaviour() -> None:
    rows = _rows()
    width = len(Behaviour) + 1
    head, *clients = [row for row in rows if len(row) == width]
    assert head == ["client", *Behaviour]
    keys = {row[0]: row[1] for row in rows if len(row) == 2 and row[0] != "key"}
    used = {key for row in clients for cell in row[1:] for key in cell.split()}
    assert all(cell for row in clients for cell in row)
    assert used == keys.keys()
    for name, text in keys.items():
        for path, test in re.findall(r"`(tests/\S+)::(\w+)`", text):
            assert f"def {test}(" in (_ROOT / path).read_text(), f"{name}: {path}::{test}"
