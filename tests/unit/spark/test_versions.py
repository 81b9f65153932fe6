"""Which servers are asked to run tasks, by the version that they answer."""

import pytest

from engine.domain.errors import Rejected
from engine.spark.connection import ServerAnswer, require_supported


@pytest.mark.parametrize("version", ["4.0.0", "4.1.4", "10.0", "4.2.0-SNAPSHOT", "", "main", "v3"])
def test_these_versions_are_asked(version: str) -> None:
    assert require_supported(ServerAnswer(version, "id")).version == version


@pytest.mark.parametrize("version", ["3.5.7", "3.5.7-amzn-1", "2.4.8"])
def test_servers_before_spark_4_are_refused_with_their_version(version: str) -> None:
    with pytest.raises(Rejected, match=f"the server is Spark {version}, .* use Spark 4.0 or newer"):
        require_supported(ServerAnswer(version, "id"))
