"""Comments in Markdown: no text of others is markup, a link, a mention, or ends the structure of the comment."""

from itertools import pairwise
from typing import Any, Final

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from packhouse.declarations import markdown, rendering
from packhouse.declarations.checks import Checked
from packhouse.declarations.plans import Step
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

_PIECES: Final = (
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\r",
    "<img src=x>",
    "@admins",
    "#1",
    "](http://x)",
    "> ",
    "- ",
    "|",
    "\\",
    " ",
)
HOSTILE: Final = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), min_size=1, max_size=8).map("".join)
_PARSER: Final = MarkdownIt("commonmark")


def texts_outside_of_code(comment: str) -> list[str]:
    """Return what a reader sees of a comment outside of code; markup that is not ours fails."""
    tokens = _PARSER.parse(comment)
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {"text", "code_inline", "softbreak", "strong_open", "strong_close"}
    assert {token.type for token in tokens if token.type.startswith("html") or token.type == "code_block"} == set()
    return [child.content for child in inline if child.type == "text" and child.content]


def preview(**changes: Any) -> dict[str, Any]:
    due = {"count": 0, "tables": []}
    found = {"covered_count": 1, "affected_count": 1, "due": due, "deletions": None, "contradictions": [], "notes": []}
    return found | changes


def comment_of(name: str, *, refused: bool = False, lines: int = 1) -> str:
    amounts = {"snapshots": 2, "files": 3, "bytes": 4, "complete": True}
    table = {"address": name, "settings": [name], "removed_until": None, **amounts}
    deletions = {"table_count": 1, "by_table": [table], "acknowledge": "secret-token", **amounts}
    effect = preview(
        deletions=deletions,
        due={"count": 9, "tables": [{"address": name}]},
        contradictions=[{"pointer": name, "message": name}],
        notes=[name],
    )
    step = Step("change", "policy", name, (f"+ {name}: {name}",) * lines, lambda: None)
    refusal = CommandError(name, ExitCode.USAGE, name)
    checked = [Checked(step, effect), *([Checked(step, None, refusal)] if refused else []), Checked(step)]
    return rendering.plan_comment(checked, [name])


@given(HOSTILE.filter(str.strip))
def test_texts_of_others_are_code_in_every_part_of_a_comment(name: str) -> None:
    outside = [texts_outside_of_code(comment_of(word, refused=True)) for word in (name, "orders")]
    assert outside[0] == outside[1]
    for comment in (
        rendering.failure_comment(CommandError(name, ExitCode.USAGE, name)),
        rendering.drift_comment([Step("delete", "policy", name, (f"- {name}: {name}",), lambda: None)]),
    ):
        assert all(word not in "".join(texts_outside_of_code(comment)) for word in ("@", "<", "http", "["))


@given(HOSTILE)
@example("```")
def test_code_shows_the_text_and_nothing_else(text: str) -> None:
    parsed = _PARSER.parse(f"- {markdown.code(text)}.")
    (inline,) = [token for token in parsed if token.type == "inline"]
    kinds = [(child.type, child.content) for child in inline.children or ()]
    assert [kind for kind, _ in kinds] in (["code_inline", "text"], ["text"])
    assert kinds[-1][1] in (".", "(empty).")
    (block,) = _PARSER.parse("\n".join(markdown.block([text, f"+ {text}"], "diff")))
    assert (block.type, block.content.count("\n")) == ("fence", 2)


def test_a_comment_begins_with_deletions_then_refusals_and_has_no_token() -> None:
    comment = comment_of("lake.sales.orders", refused=True)
    places = [comment.index(part) for part in ("### Packhouse: 3 changes", "[!CAUTION]", "**Refused**", "```diff")]
    assert all(first < second for first, second in pairwise(places))
    assert "1 of them deletes more than before, 1 refused" in comment
    assert "secret-token" not in comment


def test_a_comment_fits_into_the_limit_of_forges_and_names_what_it_leaves_out() -> None:
    step = Step("change", "policy", "wide", ("+ x: " + "y" * 10_000,) * 500, lambda: None)
    comment = rendering.plan_comment([Checked(step, preview())] * 100, [])
    assert len(comment) < 65_000
    assert "# 440 more" in comment
    assert "further parts do not fit into a comment" in comment
