"""Profile of Hypothesis for the whole suite: no deadline, since no test fails by the time that it takes."""

import os
from typing import Final

from hypothesis import settings

_EXAMPLES: Final = 100 if os.environ.get("PACKHOUSE_DEEP") else 25
"""Examples of each property that sets no number of its own; 100 is the default of the library."""


def pytest_configure() -> None:
    """Make the profile the one that tests start from; their own settings are stronger."""
    settings.register_profile("packhouse", deadline=None, max_examples=_EXAMPLES)
    settings.load_profile("packhouse")
