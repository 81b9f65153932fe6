"""The chart as Helm renders it: once for each file of `values/`."""

import os

import pytest

from tests.support.chart import HELM, NAMES, Object, objects_of, text_of


@pytest.fixture(scope="session")
def tools() -> None:
    """Helm and kubeconform: `make deploy-check` makes them, and there nothing is skipped."""
    if not HELM.exists() and "PACKHOUSE_DEPLOY" not in os.environ:
        pytest.skip("`make deploy-check` builds helm and runs this")


@pytest.fixture(params=NAMES)
def objects(tools: None, request: pytest.FixtureRequest) -> list[Object]:
    """The objects of one file of values after the other."""
    return objects_of(text_of(request.param))
