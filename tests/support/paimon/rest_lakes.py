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

    def stop(self) -> None:
        """Close the catalog of the writers, and stop the server."""
        self.core.call("close", warehouse=str(self.root))
        self.core.call("stop_server", warehouse=str(self.root))

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
    lake = RestLake(paimon_core, Path(root), url=url)
    yield lake
    paimon_core.call("lose_answers", is_on=False)
    lake.stop()


KEY: Final = "key-of-dlf"
SECRET: Final = "s3cret-of-dlf"
REGION: Final = "cn-hangzhou"


@dataclass(frozen=True)
class DlfLake(RestLake):
    """A table of a server that takes signed requests. `signed`: Packhouse's own properties of the signature."""

    signed: Mapping[str, str] = field(default_factory=dict)

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "rest", "warehouse": NAME, "uri": self.uri or self.url, **self.signed, **self.more}


@pytest.fixture(params=["default", "openapi"])
def dlf_lake(request: pytest.FixtureRequest, paimon_core: PaimonCore, tmp_path: Path) -> Iterator[DlfLake]:
    """A server of requests that are signed in each way, and a table that is not created yet."""
    root, algorithm = str(tmp_path / "warehouse"), request.param
    dlf = {"keys": {KEY: SECRET}, "region": REGION, "algorithm": algorithm, "security_token": "for-a-while"}
    url = paimon_core.call("start_server", warehouse=root, name=NAME, token="", prefix="paimon", dlf=dlf)
    signed = {"token.provider": "dlf", "dlf.region": REGION, "dlf.signing-algorithm": algorithm}
    signed |= {"dlf.access-key-id": KEY, "dlf.access-key-secret": SECRET, "dlf.security-token": "for-a-while"}
    given = {"metastore": "rest", "uri": url, "warehouse": NAME, **signed}
    paimon_core.call("use_store", warehouse=root, options=given)
    lake = DlfLake(paimon_core, Path(root), url=url, signed=signed)
    yield lake
    lake.stop()
