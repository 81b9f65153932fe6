"""Write the reference pages of commands and of codes, from the command line's parser and from the code's lists.

    PYTHONPATH=. python scripts/site/reference.py [--check]

`--check` writes nothing: exit status 1 if a page would change.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from api.problems.catalogue import PROBLEM_TYPES
from engine.domain.runs.reasons import OF_GROUPS, OF_PARTITIONS, OF_RUNS, OF_TABLES

ROOT: Final = Path(__file__).resolve().parents[2]
HEAD: Final = "{title}\n\nThis page is generated from the code (`make openapi`). {text}\n"
TYPER: Final = ("-m", "typer", "packhouse.main", "utils", "docs", "--name", "packhouse")
KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Why a run ended or waits": OF_RUNS,
    "Why a table is held back": OF_TABLES,
    "Why a partition is skipped": OF_PARTITIONS,
    "Why a file group was dropped": OF_GROUPS,
}


def commands() -> str:
    """Return the page of all commands of `packhouse` with their options, by the generator of Typer."""
    made = subprocess.run([sys.executable, *TYPER], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    body = made.partition("\n\n")[2]
    body = re.sub(r"^(\* `[a-z][a-z-]*`): .*$", r"\1", body, flags=re.MULTILINE)  # the generator cuts these texts
    text = "[Clients](clients.md#command-line) has examples and exit codes."
    head = HEAD.format(title="# Commands of `packhouse`", text=text)
    return f"{head}\n{body.rstrip()}\n"


def reasons() -> str:
    """Return the page of all codes: reasons of runs, tables, partitions and file groups, and errors of the API."""
    head = HEAD.format(
        title="# Reason and error codes", text="Codes are stable; their texts are for people and can change."
    )
    return "\n".join([head, *_tables()]).rstrip() + "\n"


def _tables() -> Iterator[str]:
    for title, texts in KINDS.items():
        rows = (f"| `{code}` | {text} |" for code, text in sorted(texts.items()))
        yield "\n".join([f"## {title}\n", "| code | meaning |", "| --- | --- |", *rows, ""])
    errors = (f"| `{each.code}` | {each.status} | {each.explanation} |" for each in PROBLEM_TYPES.values())
    yield "\n".join(["## Errors of the API\n", "| code | status | meaning |", "| --- | --- | --- |", *errors])


PAGES: Final[Mapping[str, Callable[[], str]]] = {"cli.md": commands, "reasons.md": reasons}


def main() -> int:
    """Write or check every page; return the exit status."""
    stale = []
    for name, made in PAGES.items():
        path, text = ROOT / "docs/reference" / name, made()
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if stale and "--check" in sys.argv:
        print(f"docs/reference: {', '.join(stale)} differ from the code: run `make openapi`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
