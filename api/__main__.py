"""`packhouse-server`: starts the parts of Packhouse. Settings come from `PACKHOUSE_*` environment variables."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Final

from api.app import create_app
from api.deps import Services
from api.openapi import describe, to_yaml
from engine.domain.errors import PackhouseError
from engine.domain.policies.schema import policy_schema_text
from engine.logging import configure_logging
from engine.settings import Settings

_COMMANDS: Final = {
    "up": "everything on this machine, with embedded servers where no URL is set",
    "api": "the HTTP API",
    "worker": "a worker: plans, rewrites, commits",
    "coordinator": "the coordinator: relays, reaps, sweeps",
    "migrate": "bring the database to this version's schema",
    "openapi": "write openapi.yaml from the app; needs no server",
    "policy-schema": "write the JSON Schema of policies; needs no server",
}
_GENERATED: Final = {"openapi": Path("openapi.yaml"), "policy-schema": Path("docs/policy.schema.json")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    given = _parser().parse_args(arguments)
    if given.command in _GENERATED:
        return _generate(given.command, given.output, check=given.check)
    settings = Settings()
    configure_logging(settings.log_level)
    try:
        asyncio.run(_start(given.command, settings))
    except (PackhouseError, OSError) as error:
        sys.stderr.write(f"packhouse-server {given.command}: {error}\n")
        return 1
    return 0


async def _start(command: str, settings: Settings) -> None:
    from api.serving import Parts, serve  # noqa: PLC0415 - loads Spark's client, which describing the API does not need

    if command == "migrate":
        await _migrate(settings)
        return
    every = command == "up"
    parts = Parts(
        api=every or command == "api",
        worker=every or command == "worker",
        coordinator=every or command == "coordinator",
    )
    await serve(settings, parts, say=lambda line: print(line, flush=True))  # noqa: T201 - for the person who started it


async def _migrate(settings: Settings) -> None:
    from engine.stores.database import Database  # noqa: PLC0415 - as above

    settings.data_dir.mkdir(parents=True, exist_ok=True)
    database = Database(settings.database_url or f"sqlite+aiosqlite:///{settings.data_dir / 'packhouse.sqlite3'}")
    try:
        await database.migrate()
    finally:
        await database.close()


def _generate(command: str, path: Path, *, check: bool) -> int:
    text = to_yaml(describe(create_app(_nothing))) if command == "openapi" else policy_schema_text()
    if not check:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{path} is not what the code says: run `make openapi`\n")
    return 1


def _nothing() -> AbstractAsyncContextManager[Services]:
    raise AssertionError("the app is described, never started")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="packhouse-server", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in _COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name in _GENERATED:
            command.add_argument("--check", action="store_true", help="change nothing; fail when the file differs")
            default = _GENERATED[name]
            command.add_argument("--output", type=Path, default=default, help=f"default: {default}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
