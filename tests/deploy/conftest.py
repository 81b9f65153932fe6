"""The chart as Helm renders it: once for each file of `values/`.

Its tests need helm, kubeconform and kube-apiserver, that of the action actionlint and packages, all of which are built:
`make deploy-check` and `make deploy-cluster` make them and run these tests, which no other target collects.
"""

import os

import pytest

from tests.support.chart import NAMES, Object, objects_of, text_of

collect_ignore_glob = [] if "PACKHOUSE_DEPLOY" in os.environ else ["test_action.py", "test_chart*.py"]


@pytest.fixture(params=NAMES)
def objects(request: pytest.FixtureRequest) -> list[Object]:
    """The objects of one file of values after the other."""
    return objects_of(text_of(request.param))
