"""What others write into files and answers: the command line reads it within bounds and shows it as text."""

import io
import json
import os
import sys
from pathlib import Path

import pytest
import yaml
from packhouse import main, output, problems
from packhouse.declarations import inventories
from packhouse.documents import reading, yaml_reading
from packhouse.exit_codes import ExitCode

_POLICY = "kind: policy\nname: sales\nscope: {fleet: true}\npolicy: {}\n"
_HOSTILE = "a\x1b]0;owned\x07b\x9b31mc\x7fd\u202ee"


def _refusal_of(folder: Path) -> str:
    with pytest.raises(problems.CommandError) as caught:
        inventories.of_folder(folder)
    assert caught.value.code is ExitCode.USAGE
    return caught.value.message


def test_f30_a_link_in_a_folder_of_documents_is_refused_and_never_read(tmp_path: Path) -> None:
    """A link that is passed over would be an undeclared object, which `--prune` deletes."""
    secret = tmp_path / "secret"
    secret.write_text("password: [hunter2")
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "policy.yaml").symlink_to(secret)
    message = _refusal_of(folder)
    assert "policy.yaml is a symbolic link" in message
    assert "hunter2" not in message
    (folder / "policy.yaml").unlink()
    (folder / "policies").symlink_to(tmp_path, target_is_directory=True)
    assert "policies is a symbolic link" in _refusal_of(folder)


@pytest.mark.timeout(20)
def test_f34_what_is_no_file_or_has_no_end_is_refused_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    assert "a.yaml is not a regular file" in _refusal_of(tmp_path)
    (tmp_path / "a.yaml").unlink()
    with (tmp_path / "a.yaml").open("wb") as sparse:
        sparse.truncate(2**40)
    assert "a.yaml has 1,099,511,627,776 bytes; 16,777,216 is the limit" in _refusal_of(tmp_path)
    with (
        Path("/dev/zero").open() as endless,
        pytest.raises(problems.CommandError, match="more characters than 4,194,304"),
    ):
        reading.read_document(endless)


def test_f30_a_folder_that_can_not_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its documents would be undeclared objects, which `--prune` deletes."""
    (tmp_path / "tables").mkdir()
    scandir = os.scandir

    def refusing(path: str) -> object:
        if Path(path).name == "tables":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert "tables can't be read: " in _refusal_of(tmp_path)


def test_f30_a_folder_that_is_a_link_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.yaml").write_text(_POLICY)
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert inventories.of_folder(tmp_path / "link").documents.keys() == {("policy", "sales")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"a: 1\nb: {'7' * 3_000_000}", ["3,000,000 digits", "line 2, column 4"]),
        (json.dumps({"a": 1, "b": [0]}).replace("0", "7" * 3_000_000), ["3,000,000 digits", "line 1, column 16"]),
        ("a: !!int x", ["'x' is not a number", "line 1, column 4"]),
        ("a: !!bool x", ["'x' is not a boolean", "line 1, column 4"]),
        ("a: !!timestamp x", ["tag:yaml.org,2002:timestamp", "line 1, column 4"]),
        ("a: !!set {x}", ["tag:yaml.org,2002:set", "line 1, column 4"]),
        ("a: 1\na: 2", ["'a' comes twice", "line 2, column 1"]),
        ("a: " + "[" * 3000, ["nested more than 100 levels", "line 1"]),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)
def test_f34_a_value_that_is_none_is_an_error_with_its_place(text: str, words: list[str]) -> None:
    with pytest.raises(yaml.YAMLError) as caught:
        yaml_reading.load(text)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: policy\nname: a\npolicy: 5", "a.yaml:3: policy is not a mapping"),
        ("kind: table\n\nname: a", "a.yaml:3: 'a' is not a table"),
        ("kind: policy\nname: a\n---\nkind: nothing", "a.yaml:4: a document needs"),
        ("kind: policy\nname: a\n5: 1\nscpe: 1", "a.yaml:3: a policy has no 5, scpe"),
        ("- 1", "a.yaml:1 holds no mapping"),
        ("kind: [", "a.yaml:1 can't be read"),
        ("kind: policy\nname: a\n---\n{kind: policy,\n name: a}", "a.yaml:5: policy a is declared twice, first at"),
    ],
)
def test_an_invalid_document_is_refused_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    assert message in _refusal_of(tmp_path)


@pytest.mark.parametrize("form", [output.Output.JSON, output.Output.YAML])
def test_f34_documents_for_scripts_have_no_control_characters_and_keep_their_values(
    form: output.Output, capsys: pytest.CaptureFixture[str]
) -> None:
    output.print_document(output.console_of(), {"name": _HOSTILE, "town": "Zürich"}, form)
    text = capsys.readouterr().out
    assert _unsafe(text) == set()
    assert yaml_reading.load(text) == {"name": _HOSTILE, "town": "Zürich"}


def test_f34_no_text_of_others_controls_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names in tables, errors of the server and of the command line, titles: only our own styles are sequences."""
    console = output.console_of()
    output.print_rows(console, ["name", f"={_HOSTILE}"], [[_HOSTILE, [_HOSTILE]]], title=_HOSTILE)
    output.print_fields(console, {_HOSTILE: _HOSTILE})
    console.print(_HOSTILE, soft_wrap=True)
    problems.show(problems.CommandError(_HOSTILE, ExitCode.ERROR, _HOSTILE), output.console_of(stderr=True))
    word = _HOSTILE.replace("\u202e", "")  # typer shows the caller's own words, and escapes all but this
    for arguments in ([word], ["runs", "list", f"--{word}"], ["apply", "-f", word, "--output", word]):
        with pytest.raises(SystemExit):
            main.main(arguments)
    shown = capsys.readouterr()
    assert _unsafe(shown.out) | _unsafe(shown.err) == set()
    assert "a\N{SYMBOL FOR ESCAPE}]0;owned" in shown.out

    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    output.console_of().print("[red]x[/]")
    assert "\x1b[31mx" in terminal.getvalue(), "styles of our own stay"


def _unsafe(text: str) -> set[str]:
    return {c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c in "\u202a\u202e\u2066\u061c"}
