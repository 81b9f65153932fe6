"""Names for shell completion, read from the server with a short timeout; none when it does not answer."""

from __future__ import annotations  # the models are imported when names are asked for, not for every command

import os
from collections.abc import Callable, Iterator
from itertools import islice

from packhouse_client import Packhouse, PackhouseError, Retries, models
from packhouse_client.addresses import join_address

from packhouse import contexts
from packhouse.problems import CommandError

_SECONDS = 2.0
_NAMES = 200


def catalogs(incomplete: str) -> list[str]:
    """Return names of catalogs."""
    return _names(lambda client: (catalog.name for catalog in client.catalogs.list()), incomplete)


def tables(incomplete: str) -> list[str]:
    """Return addresses of tables; only of one catalog once its name is typed."""
    catalog, dot, _ = incomplete.partition(".")
    if not dot:
        return _names(lambda client: map(_address, client.tables.list(page_size=_NAMES)), incomplete)
    return _names(lambda client: map(_address, client.tables.list(catalog=catalog, page_size=_NAMES)), incomplete)


def targets(incomplete: str) -> list[str]:
    """Return names of policies and addresses of tables."""
    policies = _names(lambda client: (policy.name for policy in client.policies.list()), incomplete)
    return policies + tables(incomplete)


def runs(incomplete: str) -> list[str]:
    """Return ids of runs, newest first."""
    return _names(lambda client: (run.id for run in client.runs.list()), incomplete)


def _names(find: Callable[[Packhouse], Iterator[str]], incomplete: str) -> list[str]:
    try:
        server = contexts.chosen(*map(os.environ.get, ("PACKHOUSE_URL", "PACKHOUSE_API_KEY", "PACKHOUSE_CONTEXT")))
        with Packhouse(
            server.url,
            server.key(),
            retries=Retries(attempts=1),
            timeout=_SECONDS,
        ) as client:
            return [name for name in islice(find(client), _NAMES) if name.startswith(incomplete)]
    except (PackhouseError, CommandError, ValueError):
        return []


def _address(table: models.Table) -> str:
    return join_address(table.catalog, table.namespace, table.name)
