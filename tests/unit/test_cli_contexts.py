"""Named servers of the command line: which one a command uses, and where its key comes from."""

from pathlib import Path

import pytest
from packhouse.commands import contexts
from packhouse.contexts import Contexts, Server, chosen, read_contexts, write_contexts
from packhouse.problems import CommandError

PROD = Server("https://packhouse.example", "env:PROD_KEY")


@pytest.fixture(autouse=True)
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config" / "contexts.yaml"
    monkeypatch.setenv("PACKHOUSE_CONFIG", str(path))
    return path


def test_contexts_are_read_as_they_were_written_and_only_their_owner_may_read_them(stored: Path) -> None:
    written = Contexts("prod", {"prod": PROD, "laptop": Server()})
    write_contexts(written)
    assert read_contexts() == written
    assert stored.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in stored.parent.iterdir()] == ["contexts.yaml"]


def test_without_a_file_there_are_no_contexts() -> None:
    assert read_contexts() == Contexts()
    assert chosen(None, None, None) == Server()


@pytest.mark.parametrize("text", ["[1]", "contexts: 5", "contexts: {a: {host: x}}", "a: [", "contexts: {a: null}"])
def test_a_file_of_another_form_is_named(stored: Path, text: str) -> None:
    stored.parent.mkdir()
    stored.write_text(text)
    with pytest.raises(CommandError, match=r"contexts\.yaml holds no contexts"):
        read_contexts()


@pytest.mark.parametrize(
    ("url", "key", "name", "server"),
    [
        (None, None, None, PROD),
        (None, None, "laptop", Server()),
        (None, "pkh_given", None, Server(PROD.url, "pkh_given")),
        ("https://packhouse.example/", None, None, PROD),
        ("https://elsewhere.example", None, None, Server("https://elsewhere.example")),
        ("https://elsewhere.example", "pkh_given", "prod", Server("https://elsewhere.example", "pkh_given")),
    ],
)
def test_options_are_stronger_and_a_stored_key_stays_with_its_server(
    url: str | None, key: str | None, name: str | None, server: Server
) -> None:
    write_contexts(Contexts("prod", {"prod": PROD, "laptop": Server()}))
    assert chosen(url, key, name) == server


def test_a_name_that_is_not_stored_is_refused_with_those_that_are() -> None:
    write_contexts(Contexts(None, {"prod": PROD}))
    with pytest.raises(CommandError, match="no context 'stage'") as caught:
        chosen(None, None, "stage")
    assert "prod" in str(caught.value.hint)


def test_a_key_comes_from_a_variable_or_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROD_KEY", "pkh_a")
    (tmp_path / "key").write_text("pkh_b\n")
    assert PROD.key() == "pkh_a"
    assert Server(api_key=f"file:{tmp_path}/key").key() == "pkh_b"
    assert Server(api_key="pkh_c").key() == "pkh_c"
    monkeypatch.delenv("PROD_KEY")
    with pytest.raises(CommandError, match="PROD_KEY holds no key"):
        PROD.key()
    with pytest.raises(CommandError, match="can't be read"):
        Server(api_key=f"file:{tmp_path}/none").key()


def test_a_key_is_not_taken_from_the_arguments() -> None:
    with pytest.raises(CommandError, match="given as an argument"):
        contexts.set_("prod", None, "pkh_secret")
