"""The command `packhouse-server`."""

import sys
from collections.abc import Sequence

from api.server.memory import without_collections


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    with without_collections():
        from api import commands  # noqa: PLC0415 - most of a start is this import
    return commands.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
