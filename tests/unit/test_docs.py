"""The documents agree with the code that they describe, and stay short."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml

from engine.domain.runs.run import TERMINAL_STATES, TRANSITIONS, RunState, WaitingFor
from engine.settings.model import Settings
from engine.settings.reference import settings_page

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
START = "[*]"
WORDS = 1500


def _diagram() -> set[tuple[str, str]]:
    text = (ROOT / "docs/explanation/run-lifecycle.md").read_text()
    mermaid = re.search(r"```mermaid\n(.*?)```", text, re.DOTALL)
    assert mermaid is not None
    return set(re.findall(r"^\s+(\S+) --> (\w+|\[\*\])", mermaid[1], re.MULTILINE))


def test_lifecycle_diagram_shows_exactly_the_transitions() -> None:
    drawn = {(a, b) for a, b in _diagram() if START not in (a, b)}
    assert drawn == {(source.value, target.value) for source, targets in TRANSITIONS.items() for target in targets}


def test_lifecycle_diagram_starts_queued_and_ends_in_every_terminal_state() -> None:
    assert {b for a, b in _diagram() if a == START} == {RunState.QUEUED.value}
    assert {a for a, b in _diagram() if b == START} == {state.value for state in TERMINAL_STATES}


def test_lifecycle_names_every_reason_to_wait() -> None:
    text = (ROOT / "docs/explanation/run-lifecycle.md").read_text() + (ROOT / "docs/explanation/holds.md").read_text()
    assert [reason for reason in WaitingFor if f"`{reason}`" not in text] == []


def test_the_reference_of_settings_is_that_of_the_code() -> None:
    assert (ROOT / "docs/reference/settings.md").read_text() == settings_page(), "run `make openapi`"


def test_f45_the_lists_of_features_are_those_of_the_code() -> None:
    """F45: of each format, what is accepted, and what forbids which operation."""
    sections = runpy.run_path(str(ROOT / "scripts/features/__main__.py"))["SECTIONS"]
    text = "".join(each.read_text() for each in ROOT.glob("docs/*/*.md"))
    wrong = [name for name, made in sections.items() if f"<!-- generated: {name} -->\n{made()}\n<!-- end" not in text]
    assert wrong == [], "run `make openapi`"


def test_every_setting_says_what_it_does() -> None:
    assert [name for name, field in Settings.model_fields.items() if len(field.description or "") < 20] == []


@pytest.mark.parametrize(("name", "limit"), [("README.md", 120), ("CONTRIBUTING.md", 100)])
def test_front_pages_stay_short(name: str, limit: int) -> None:
    assert len((ROOT / name).read_text().splitlines()) <= limit


def _anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as the site and Git hosts make them."""
    text = re.sub(r"^ *```.*?^ *```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }


def test_pages_outside_of_the_reference_have_at_most_1500_words() -> None:
    """A word has a letter or a digit; code blocks and cells of tables count."""
    pages = [path for path in DOCUMENTS if path.is_relative_to(ROOT / "docs") and "reference" not in path.parts]
    lengths = {str(path.relative_to(ROOT)): len(re.findall(r"\S*\w\S*", path.read_text())) for path in pages}
    assert len(lengths) > 50
    assert {path: words for path, words in lengths.items() if words > WORDS} == {}


def test_the_index_of_each_folder_lists_all_its_pages() -> None:
    indexes = [*ROOT.glob("docs/*/**/index.md")]
    assert len(indexes) == 6
    for index in indexes:
        listed = {*re.findall(r"\]\(([\w-]+\.md)\)", index.read_text()), "index.md"}
        assert {page.name for page in index.parent.glob("*.md")} - listed == set(), index


def test_headings_lists_and_tables_of_the_site_begin_after_a_blank_line() -> None:
    """Without it MkDocs shows them as text, other than Git hosts."""
    for page in ROOT.glob("docs/**/*.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        heading = re.search(r"^(?!#).+\n#+ .*", text, re.MULTILINE)
        table = re.search(r"^(?![|#]|<!--).+\n\| .*", text, re.MULTILINE)
        item = re.search(r"(?:\A|\n\n)(?!- |\d+\. |#| ).+(?:\n(?!- |\d+\. |\|).+)*\n(?:- |\d+\. ).*", text)
        indented = re.search(r"^ {2,3}(?:```|\||- ).*", text, re.MULTILINE)
        assert (heading or table or item or indented) is None, (page, heading, table, item, indented)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", document.read_text())
    places = [(document.parent / target if target else document, anchor) for target, anchor in links]
    assert [str(target) for target, _ in places if not target.exists()] == []
    pages = [(target, anchor) for target, anchor in places if anchor and target.suffix == ".md"]
    assert [f"{target}#{anchor}" for target, anchor in pages if anchor not in _anchors(target)] == []


def test_every_decision_says_when_it_is_violated() -> None:
    decisions = sorted(ROOT.glob("docs/contributing/adr/0*.md"))
    assert decisions
    assert [d.name for d in decisions if "## A change violates this when" not in d.read_text()] == []
    assert [d.name for d in decisions if d.read_text().split("\n## ")[1].split("\n")[0] != "Decision"] == []


def test_every_make_target_is_described() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+%?):", makefile, re.MULTILINE))
    described = set(re.findall(r"^([a-z-]+%?):.*## \S", makefile, re.MULTILINE))
    parts = {"check-code", "check-unit", "check-console"}  # of `check`, which make runs side by side
    assert targets - parts == described


def test_contributing_names_files_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:api|bench|clients|engine|scripts|tests)/[\w/.-]+)`", text)
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists() and "_generated" not in path] == []


@pytest.mark.parametrize("form", sorted(ROOT.glob(".github/ISSUE_TEMPLATE/[!c]*.yml")), ids=lambda path: path.stem)
def test_issue_forms_have_questions_with_ids_of_their_own(form: Path) -> None:
    given = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= given.keys()
    asked = [each for each in given["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in asked} <= {"input", "textarea", "dropdown", "checkboxes"}
    assert len({each["id"] for each in asked}) == len(asked) > 0
    assert all(each["attributes"]["label"] for each in asked)


def test_the_version_has_a_section_of_changes() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] in {"Unreleased", version}
    assert version in sections
    assert len(set(sections)) == len(sections)
