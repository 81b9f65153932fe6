"""Contexts: named servers with their keys, to switch between several servers.

Contexts are in one YAML file that only its owner may read: `$PACKHOUSE_CONFIG`, or `packhouse/contexts.yaml` in the
user's configuration folder. A key is stored as a reference (`env:NAME`, `file:/path`), or as the key itself when it is
read from standard input.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml
from packhouse_client.client import DEFAULT_URL

from packhouse.documents import yaml_reading
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

_ENVIRONMENT: Final = "env:"
_FILE: Final = "file:"
REFERENCES: Final = (_ENVIRONMENT, _FILE)
"""Prefixes of a reference to a key."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server's URL, and its key or a reference to the key."""

    url: str = DEFAULT_URL
    api_key: str = ""

    def key(self) -> str:
        """Return the key, with a reference resolved.

        Raises:
            CommandError: the variable is not set, or the file can't be read.
        """
        if self.api_key.startswith(_ENVIRONMENT):
            name = self.api_key.removeprefix(_ENVIRONMENT)
            if not (found := os.environ.get(name)):
                raise CommandError(
                    f"the variable {name} holds no key", ExitCode.UNAUTHENTICATED, f"export {name}=pkh_…"
                )
            return found
        if self.api_key.startswith(_FILE):
            path = Path(self.api_key.removeprefix(_FILE))
            try:
                return path.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"the key's file can't be read: {error}", ExitCode.UNAUTHENTICATED) from None
        return self.api_key


@dataclass(frozen=True, slots=True)
class Contexts:
    """All contexts, and the name of the current one, which commands use by default."""

    current: str | None = None
    servers: Mapping[str, Server] = field(default_factory=dict)

    def server(self, name: str | None) -> Server | None:
        """Return the server of a context, by default of the current one; None when there is none.

        Raises:
            CommandError: no context has the name.
        """
        wanted = name or self.current
        if wanted is None:
            return None
        if wanted not in self.servers:
            known = ", ".join(sorted(self.servers)) or "none"
            hint = f"known: {known}; `packhouse context set {wanted} URL` makes it"
            raise CommandError(f"there is no context {wanted!r}", ExitCode.USAGE, hint)
        return self.servers[wanted]


def chosen(url: str | None, api_key: str | None, name: str | None) -> Server:
    """Return the server to use: options and variables override the context.

    The key of a context is sent to the context's own server only: with another URL a key has to be given as well.

    Raises:
        CommandError: no context has the name, or the stored contexts can't be read.
    """
    found = read_contexts().server(name) or Server()
    if url is not None and url.rstrip("/") != found.url.rstrip("/"):
        found = Server(url)
    return found if api_key is None else Server(found.url, api_key)


def path_of_contexts() -> Path:
    """Return the path of the file with the contexts."""
    if given := os.environ.get("PACKHOUSE_CONFIG"):
        return Path(given)
    folder = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder, "packhouse", "contexts.yaml")


def read_contexts() -> Contexts:
    """Return the stored contexts; none when there is no file.

    Raises:
        CommandError: the file can't be read, or has another form.
    """
    path = path_of_contexts()
    try:
        document = yaml_reading.load(path.read_text(encoding="utf-8")) or {}
        servers = {str(name): Server(**found) for name, found in (document.get("contexts") or {}).items()}
        return Contexts(document.get("current"), servers)
    except FileNotFoundError:
        return Contexts()
    except (OSError, UnicodeDecodeError, yaml.YAMLError, AttributeError, TypeError) as error:
        hint = "correct the file, or delete it and set the contexts again"
        raise CommandError(f"{path} holds no contexts: {error}", ExitCode.USAGE, hint) from None


def write_contexts(contexts: Contexts) -> None:
    """Store contexts in a file that only its owner may read; the old file is replaced when the new one is complete."""
    path = path_of_contexts()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    servers = {name: {"url": server.url, "api_key": server.api_key} for name, server in contexts.servers.items()}
    text = yaml.safe_dump({"current": contexts.current, "contexts": servers}, sort_keys=False)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
