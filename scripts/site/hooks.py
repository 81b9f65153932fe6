"""Hooks of the site's build, named by `mkdocs.yml`: links to files outside of the site, and the script for diagrams.

A page may link to any file of the repository, such as a module. With a `repo_url` in `mkdocs.yml` such a link goes to
the repository; without one it becomes its text, since the site does not have the file. Links to files that do not
exist stay, and fail the build. The script is served by the site: the theme would have readers load it from another
host.
"""

import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[2]
DIAGRAMS: Final = Path(__file__).parent / "node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js"
_UPWARD: Final = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)\s#]*)(#[^)\s]*)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the script that draws diagrams, at the path that `extra_javascript` names.

    Raises:
        PluginError: `scripts/setup` did not install it.
    """
    if not DIAGRAMS.exists():
        raise PluginError(f"{DIAGRAMS.relative_to(ROOT)} is missing: run `make setup`")
    files.append(File.generated(config, "assets/mermaid.js", abs_src_path=str(DIAGRAMS)))
    return files


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
