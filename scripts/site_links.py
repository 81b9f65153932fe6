"""Links of documentation pages to files of the repository that are not part of the site, such as modules.

`mkdocs.yml` names this module as a hook. With a `repo_url` there, such a link goes to the repository; without one it
becomes its text, since the site does not have the file. Links to files that do not exist stay, and fail the build.
"""

import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[1]
_UPWARD: Final = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s#]*)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Return the text of a page with its links to other files of the repository replaced."""
    folder = Path(str(page.file.abs_src_path)).parent

    def replaced(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        if target.is_relative_to(config.docs_dir) or not target.is_relative_to(ROOT) or not target.exists():
            return link[0]
        place = target.relative_to(ROOT).as_posix()
        return f"[{link[1]}]({config.repo_url.rstrip('/')}/blob/HEAD/{place})" if config.repo_url else link[1]

    return _UPWARD.sub(replaced, markdown)
