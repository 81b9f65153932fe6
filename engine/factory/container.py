"""Opens the wired services of one process: its dependencies are started, and ended when it ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final

from engine.factory.dependencies import ServedFormats, open_dependencies
from engine.factory.wiring import Container, wire
from engine.services.operations.tasks.dispatching import Dispatcher
from engine.services.operations.tasks.servers import MakeServer, Procedures
from engine.settings.model import Settings

THREADS: Final = 256
"""The most blocking calls at once: every lane of every run holds one thread while its Spark task runs."""


@asynccontextmanager
async def open_container(
    settings: Settings,
    *,
    step: Callable[[str], None] = lambda _name: None,
    dispatcher: Dispatcher | None = None,
    procedures: Procedures | None = None,
    make_server: MakeServer | None = None,
    formats: ServedFormats | None = None,
    migrates: bool = False,
) -> AsyncIterator[Container]:
    """Start the embedded parts, check the record's schema, wire the services; undo everything on exit.

    `migrates`: migrate the record to the newest schema first, as `up` does. `step` is called at each labelled step of
    a run. For tests: `dispatcher` and `procedures` replace those of the default Spark endpoint, `make_server` makes the
    servers of others, `formats` are the table formats.

    Raises:
        Transient: a part does not start.
        SchemaUnsupported: this version can't use the record's schema.
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="blocking"))
    async with open_dependencies(
        settings,
        step=step,
        dispatcher=dispatcher,
        procedures=procedures,
        make_server=make_server,
        formats=formats,
        migrates=migrates,
    ) as around:
        yield wire(settings, around)
