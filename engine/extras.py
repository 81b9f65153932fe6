"""Optional dependencies: which extra of the `packhouse-server` package brings a module that is not installed."""

from importlib.util import find_spec
from typing import Final

from engine.domain.errors import InvalidInput

SPARK: Final = "'packhouse-server[connect]' (Spark elsewhere) or 'packhouse-server[embedded]' (Spark on this machine)"


def require(module: str, *, purpose: str, install: str) -> None:
    """Check that a top-level module is installed, without importing it.

    Args:
        module: name by which it is imported.
        purpose: what needs it, as the subject of the message's sentence.
        install: what to give to `pip install`, with the words that help to choose.

    Raises:
        InvalidInput: it is not installed; the message says how to install it.
    """
    if find_spec(module) is None:
        raise InvalidInput(
            f"{purpose} needs the Python package {module}, which is not installed: pip install {install}"
        )
