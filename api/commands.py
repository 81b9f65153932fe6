"""`packhouse-server`: starts the parts of Packhouse. Settings come from `PACKHOUSE_*` environment variables."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from uvicorn.loops import auto as uvicorn_loop

from api.app import create_app
from api.openapi.description import describe, to_yaml
from api.server.health_check import HEALTH
from api.server.memory import limit_malloc_arenas, without_collections
from engine.domain.errors import PackhouseError
from engine.domain.policies.documents.schema import policy_schema_text
from engine.domain.values.instants import format_instant
from engine.extras import SPARK, require
from engine.factory.services import Services
from engine.factory.traces import exported_traces
from engine.logging import configure_logging
from engine.settings.model import Settings
from engine.settings.reading import read_settings
from engine.settings.reference import settings_page
from engine.settings.values import reveal

if TYPE_CHECKING:
    from engine.stores.database import Database

_COMMANDS: Final = {
    "up": "everything on this machine, with embedded servers where no URL is set",
    "api": "the HTTP API",
    "worker": "a worker: plans, rewrites, commits",
    "coordinator": "the coordinator: relays, reaps, sweeps",
    "migrate": "bring the database to this version's schema",
    "restored": "prepare a database that was restored from a backup for its first start; the fleet is paused",
    HEALTH: "check that the process on this machine answers; exit status 1 if it does not",
    "doctor": "check settings, data folder, database, Redis, Spark and clocks; exit status 1 unless all is in order",
    "audit": "check the audit log's hash chain; exit status 1 when it is broken",
    "openapi": "write openapi.yaml from the app; needs no server",
    "policy-schema": "write the JSON Schema of policies; needs no server",
    "settings": "write the reference of all settings; needs no server",
}
_GENERATED: Final = {
    "openapi": Path("openapi.yaml"),
    "policy-schema": Path("docs/policy.schema.json"),
    "settings": Path("docs/reference/settings.md"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    given = _parser().parse_args(arguments)
    if given.command in _GENERATED:
        return _generate(given.command, given.output, check=given.check)
    try:
        settings = read_settings()
        configure_logging(settings.log_level, log_format=settings.log_format)
        if given.command == "audit":
            verify = _verify_audit(settings, given.head) if given.folder is None else _verify_export(given.folder)
            return asyncio.run(verify)
        if given.command == "doctor":
            return _diagnose(settings, as_json=given.json)
        if given.command == "restored":
            return asyncio.run(_prepare_restored(settings))
        limit_malloc_arenas()
        with asyncio.Runner(loop_factory=uvicorn_loop.auto_loop_factory()) as runner:
            runner.run(_start(given.command, settings))
    except (PackhouseError, OSError) as error:
        sys.stderr.write(f"packhouse-server {given.command}: {error}\n")
        return 1
    return 0


def _diagnose(settings: Settings, *, as_json: bool) -> int:
    require("pyspark", purpose="it", install=SPARK)
    from api.server.doctor.command import diagnose  # noqa: PLC0415 - loads Spark's client, which others do not need

    return diagnose(settings, as_json=as_json)


async def _start(command: str, settings: Settings) -> None:
    if command == "migrate":
        await _migrate(settings)
        return
    require("pyspark", purpose="it", install=SPARK)
    with without_collections():
        from api.server.parts import Parts, serve  # noqa: PLC0415 - loads Spark's client, which other commands do not need

    every = command == "up"
    parts = Parts(
        api=every or command == "api",
        worker=every or command == "worker",
        coordinator=every or command == "coordinator",
    )
    with exported_traces(parts.name):
        await serve(settings, parts, say=lambda line: print(line, flush=True))  # noqa: T201 - for the operator


async def _migrate(settings: Settings) -> None:
    async with _database(settings) as database:
        await database.migrate()
        number = await database.check_schema()
    sys.stdout.write(f"the database is at schema {number}\n")


@asynccontextmanager
async def _database(settings: Settings) -> AsyncIterator["Database"]:
    from engine.stores.database import Database, own_database  # noqa: PLC0415 - as above

    settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    url = reveal(settings.database_url)
    database = Database(url) if url else own_database(settings.data_dir)
    try:
        yield database
    finally:
        await database.close()


async def _prepare_restored(settings: Settings) -> int:
    """Prepare a restored database and print what comes next; return the exit status."""
    from engine.services.fleet.restores import RestoreService  # noqa: PLC0415 - as above

    async with _database(settings) as database:
        await database.check_schema()
        restore = await RestoreService(database=database).prepare()
    until = "has no run" if restore.record_until is None else f"ends at {format_instant(restore.record_until)}"
    sys.stdout.write(
        f"the record {until}; its {restore.live_runs} live runs read their tables before they go on; the fleet is "
        "paused: start the processes, compare what changed since the backup, then run `packhouse fleet resume`\n"
    )
    return 0


async def _verify_audit(settings: Settings, heads: Sequence[str]) -> int:
    """Check the audit log's chain and print the findings; return the exit status."""
    from engine.services.access.audit import AuditService  # noqa: PLC0415 - as above

    async with _database(settings) as database:
        await database.check_schema()
        verdict = await AuditService(database=database).verify(expected_heads=heads)
    for fault in verdict.faults:
        sys.stderr.write(f"{fault.message}\n")
    head = "no entries" if verdict.head is None else f"head {verdict.head.hash}"
    state = "holds" if verdict.holds else "IS BROKEN"
    sys.stdout.write(f"the chain {state}: {verdict.sealed} sealed, {verdict.unsealed} not sealed yet, {head}\n")
    if verdict.anchor.pruned_until is not None:
        until = format_instant(verdict.anchor.pruned_until)
        sys.stdout.write(f"verified from link {verdict.anchor.sequence + 1} on: entries up to {until} were pruned\n")
    return 0 if verdict.holds else 1


async def _verify_export(url: str) -> int:
    """Check the chain of exported entries and print the findings; return the exit status."""
    from engine.archive.folders import WriteOnceFolder  # noqa: PLC0415 - as above
    from engine.services.exports.audit import verify_export  # noqa: PLC0415

    verdict = await verify_export(WriteOnceFolder(url, is_new=False))
    for fault in verdict.faults:
        sys.stderr.write(f"{fault}\n")
    if verdict.first is None or verdict.last is None:
        sys.stderr.write(f"{url} has no exported entries\n")
        return 1
    state = "IS BROKEN" if verdict.faults else "holds"
    links = f"links {verdict.first.sequence} to {verdict.last.sequence}"
    sys.stdout.write(f"the exported chain {state}: {verdict.count} entries, {links}, head {verdict.last.hash}\n")
    return 1 if verdict.faults else 0


def _generate(command: str, path: Path, *, check: bool) -> int:
    match command:
        case "openapi":
            text = to_yaml(describe(create_app(_nothing)))
        case "policy-schema":
            text = policy_schema_text()
        case _:
            text = settings_page()
    if not check:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{path} does not match the code: run `make openapi`\n")
    return 1


def _nothing() -> AbstractAsyncContextManager[Services]:
    raise AssertionError("the app is described, never started")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="packhouse-server", description=__doc__)
    parser.add_argument("--version", action="version", version=f"packhouse-server {version('packhouse-server')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, purpose in _COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == "audit":
            command.add_argument("verb", choices=["verify"], help="check the whole chain")
            head = "a hash that was the chain's head once and must still be in it; may be given several times"
            command.add_argument("--head", action="append", default=[], metavar="HASH", help=head)
            folder = "check the entries that were exported to this folder instead; needs no database"
            command.add_argument("--from", dest="folder", metavar="URL", help=folder)
        if name == "doctor":
            command.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
        if name in _GENERATED:
            command.add_argument("--check", action="store_true", help="change nothing; fail when the file differs")
            default = _GENERATED[name]
            command.add_argument("--output", type=Path, default=default, help=f"default: {default}")
    return parser
