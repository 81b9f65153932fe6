"""Tables of REST catalogs, created and written by Paimon's own `RESTCatalog` through Paimon's own server for tests."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from tests.support.faulty_proxy import FaultyProxy
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake

NAME: Final = "lake-warehouse"
TOKEN: Final = "s3cret-token"


@dataclass(frozen=True)
class RestLake(PaimonLake):
    """One table of the database `lake`, in a REST catalog at `url`. `uri`: the address that Packhouse is given."""

    url: str = ""
    uri: str = ""
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "rest", "warehouse": NAME, "uri": self.uri or self.url, "token": TOKEN, **self.more}

    @contextmanager
    def behind(self, proxy: FaultyProxy) -> Iterator["RestLake"]:
        """Let Packhouse ask the server through a proxy; the writers go on without it."""
        with proxy.running():
            yield replace(self, uri=proxy.url)


@pytest.fixture
def rest_lake(paimon_core: PaimonCore, tmp_path: Path) -> Iterator[RestLake]:
    """A server, and a table that is not created yet."""
    root = str(tmp_path / "warehouse")
    url = paimon_core.call("start_server", warehouse=root, name=NAME, token=TOKEN, prefix="paimon")
    given = {"metastore": "rest", "uri": url, "warehouse": NAME, "token": TOKEN, "token.provider": "bear"}
    paimon_core.call("use_store", warehouse=root, options=given)
    yield RestLake(paimon_core, Path(root), url=url)
    paimon_core.call("lose_answers", is_on=False)
    paimon_core.call("close", warehouse=root)
    paimon_core.call("stop_server", warehouse=root)
