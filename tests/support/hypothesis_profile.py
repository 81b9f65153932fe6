"""Profile of Hypothesis for the whole suite: no deadline, since no test fails by the time that it takes."""

from hypothesis import settings


def pytest_configure() -> None:
    """Make the profile the one that tests start from; their own settings are stronger."""
    settings.register_profile("packhouse", deadline=None)
    settings.load_profile("packhouse")
