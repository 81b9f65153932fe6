"""Azurite, Microsoft's emulator of Azure Storage, on loopback and in memory, with one empty container for each test."""

import base64
import hashlib
import hmac
import itertools
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

ACCOUNT: Final = "devstoreaccount1"
KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account and key that the emulator has by default, as documented."""

_PROGRAM: Final = Path(__file__).parent / "azurite/node_modules/.bin/azurite-blob"
_numbers = itertools.count()


@dataclass(frozen=True)
class AzureServer:
    """The running emulator and a container in it."""

    port: int
    container: str

    def properties(self) -> dict[str, str]:
        """Return the properties of a catalog whose tables lie here, as PyIceberg's Arrow reads them."""
        authority = {f"adls.{kind}-storage-authority": f"127.0.0.1:{self.port}" for kind in ("blob", "dfs")}
        schemes = {f"adls.{kind}-storage-scheme": "http" for kind in ("blob", "dfs")}
        return {"adls.account-name": ACCOUNT, "adls.account-key": KEY} | authority | schemes

    def put(self, name: str, data: bytes) -> None:
        """Store an object under any name."""
        url = f"http://127.0.0.1:{self.port}/{ACCOUNT}/{self.container}/{quote(name)}?{self.sas(60)}"
        with urlopen(Request(url, data=data, method="PUT", headers={"x-ms-blob-type": "BlockBlob"})):
            return

    def sas(self, seconds: float, permissions: str = "racwdl") -> str:
        """Return a shared access signature for the container that ends after so many seconds."""
        ends = datetime.fromtimestamp(time.time() + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        resource = f"/blob/{ACCOUNT}/{self.container}"
        signed = [permissions, "", ends, resource, "", "", "https,http", _VERSION, "c"]
        signature = _signed("\n".join([*signed, "", "", "", "", "", "", ""]))
        return (
            f"sp={signed[0]}&se={ends.replace(':', '%3A')}&spr=https,http&sv={_VERSION}&sr=c"
            f"&sig={signature.replace('+', '%2B').replace('/', '%2F').replace('=', '%3D')}"
        )


_VERSION: Final = "2020-12-06"


@pytest.fixture(scope="session")
def azurite() -> Iterator[int]:
    """The port of the emulator."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--inMemoryPersistence", "--blobHost", "127.0.0.1", "--blobPort", str(port), "--skipApiVersionCheck"]
    with subprocess.Popen(
        [str(_PROGRAM), *options, "--silent", "--disableTelemetry"], stdout=subprocess.DEVNULL
    ) as process:
        try:
            _wait_for(port)
            yield port
        finally:
            process.terminate()


@pytest.fixture
def azure(azurite: int) -> AzureServer:
    """A container of the test's own."""
    server = AzureServer(azurite, f"lake-{next(_numbers)}")
    when = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")
    path = f"/{ACCOUNT}/{server.container}"
    named = f"x-ms-date:{when}\nx-ms-version:{_VERSION}\n/{ACCOUNT}{path}\nrestype:container"
    text = f"PUT{chr(10) * 5}text/plain{chr(10) * 7}{named}"
    headers = {"x-ms-date": when, "x-ms-version": _VERSION, "Content-Type": "text/plain",
               "Authorization": f"SharedKey {ACCOUNT}:{_signed(text)}"}  # fmt: skip
    address = f"http://127.0.0.1:{azurite}{path}?restype=container"
    with urlopen(Request(address, data=b"", method="PUT", headers=headers)):
        return server


def _signed(text: str) -> str:
    return base64.b64encode(hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()).decode()


def _wait_for(port: int) -> None:
    """Wait until the emulator answers, whatever it says."""
    for _ in range(300):
        try:
            urlopen(f"http://127.0.0.1:{port}/").close()
        except HTTPError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("Azurite does not answer")
