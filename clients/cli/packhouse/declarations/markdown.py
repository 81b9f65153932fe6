"""Markdown of texts that others wrote, for a comment on a pull request.

Names of tables, values of files and messages of the server could be markup, links, mentions that notify people, or
the end of the comment's own structure. So each of them is in a code span or a fenced block, where CommonMark and the
forges' extensions interpret nothing; the delimiter is longer than any run of backticks inside.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from packhouse.output import shown_safely

MOST_CHARACTERS: Final = 60_000
"""Most characters of a comment; GitHub accepts 65,536."""

_LONGEST: Final = 400
_RUNS: Final = re.compile("`+")


def code(text: object) -> str:
    """Return a text as a code span on one line; longer texts are cut."""
    shown = _one_line(str(text))
    if not shown.strip(" "):
        return "(empty)"
    fence = "`" * (_longest_run(shown) + 1)
    space = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{space}{shown}{space}{fence}"


def block(lines: Iterable[str], language: str = "") -> list[str]:
    """Return lines as a fenced block."""
    shown = list(map(_one_line, lines))
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return [f"{fence}{language}", *shown, fence]


def caution(lines: Iterable[str]) -> list[str]:
    """Return lines as an alert, which GitHub shows with a red border and other forges as a quotation."""
    return ["> [!CAUTION]", *(f"> {line}".rstrip() for line in lines)]


def joined(sections: Iterable[Sequence[str]], *, most: int = MOST_CHARACTERS) -> str:
    """Return sections of lines as one text; sections that do not fit are left out, which the last line states."""
    text, left_out = "", 0
    for section in sections:
        more = "\n".join(section) + "\n\n"
        if len(text) + len(more) <= most:
            text += more
        else:
            left_out += 1
    if left_out:
        text += f"{left_out} further parts do not fit into a comment: the command without `--format` prints all.\n"
    return text.rstrip("\n")


def _one_line(text: str) -> str:
    shown = shown_safely(text).replace("\n", "\N{SYMBOL FOR NEWLINE}")
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def _longest_run(text: str) -> int:
    return max(map(len, _RUNS.findall(text)), default=0)
