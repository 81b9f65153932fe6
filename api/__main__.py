"""The command `packhouse-server`."""

import sys
from collections.abc import Sequence

from api.server import health_check
from api.server.memory import without_collections


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == [health_check.HEALTH]:
        return health_check.main(given[1:])
    with without_collections():
        from api import commands  # noqa: PLC0415 - most of a start is this import
    return commands.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
