"""The shell commands of docs/how-to are executed as they are there, and print what the pages show.

Blocks of one page are one script, in order; a line that begins with `#` is output of the command before it, in which
`…` stands for any text. A block after `<!-- no-run: reason -->` is left out.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.stack import Stack, started

PAGES = Path(__file__).parents[2] / "docs/how-to"
FIRST = ("first-table", "set-a-policy")
"""Pages that are followed before all others, which go on from their tables."""
FOLLOWED = [
    *("quiet-hours", "keys-and-teams", "webhooks", "move-from-amoro", "move-from-cron-jobs"),
    *("spark-endpoints", "storage-events"),
]
"""Pages that are followed in any order."""
BLOCK = re.compile(
    r"(?:^ *<!-- no-run: (.{10,}) -->\n)?^ *```(?:bash|sh|console)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE
)
MARK = "\x1e"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Stack:
    """A stack of its own, as pages count tables and versions, with what the first pages leave."""
    with started(tmp_path_factory.mktemp("how-to"), PACKHOUSE_WATCH="off") as stack:
        for page in FIRST:
            follow(page, stack)
        yield stack


def follow(page: str, stack: Stack) -> None:
    """Run a page's blocks and compare what each printed with what the page shows."""
    blocks = [text for reason, text in BLOCK.findall((PAGES / f"{page}.md").read_text()) if not reason]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {"PACKHOUSE_URL": stack.url, "PACKHOUSE_API_KEY": stack.key, "LAKE": str(stack.lake), "COLUMNS": "250"}
    script = f"\nprintf '{MARK}'\n".join(blocks)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=stack.lake.parent,
        env=os.environ | names | {"PATH": path, "PYTHONPATH": str(PAGES.parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout
    for text, output in zip(blocks, done.stdout.split(MARK), strict=True):
        printed = " ".join(output.split())
        for line in re.findall(r"^# (.+)$", text, re.MULTILINE):
            pattern = ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))
            assert re.search(pattern, printed), f"{page}.md shows {line!r}; printed was:\n{output}"


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_page_can_be_followed_word_for_word(page: str, served: Stack) -> None:
    follow(page, served)


def test_every_shell_block_is_followed_or_says_why_not() -> None:
    left = {page.stem for page in PAGES.glob("*.md") for reason, _ in BLOCK.findall(page.read_text()) if not reason}
    assert left == {*FIRST, *FOLLOWED}
