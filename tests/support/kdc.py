"""A real KDC of MIT Kerberos on loopback, for the realm LAKE.TEST, with keytabs in its folder."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

REALM = "LAKE.TEST"
_CLIENT = """
[libdefaults]
 default_realm = {realm}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 udp_preference_limit = 1
[realms]
 {realm} = {{
  kdc = 127.0.0.1:{port}
 }}
[domain_realm]
 localhost = {realm}
"""
_SERVER = """
[kdcdefaults]
 kdc_listen = 127.0.0.1:{port}
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 {realm} = {{
  database_name = {folder}/principals
  key_stash_file = {folder}/stash
  max_life = 1h
 }}
"""
_START_SECONDS = 20.0


@dataclass(frozen=True)
class Kdc:
    """The folder of a KDC, with the file `krb5.conf` of its clients."""

    folder: Path
    port: int

    @property
    def config(self) -> str:
        return str(self.folder / "krb5.conf")

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "KRB5_CONFIG": self.config, "KRB5_KDC_PROFILE": str(self.folder / "kdc.conf")}

    def keytab(self, principal: str) -> str:
        """Create a principal with a random key; return the path of its keytab."""
        path = self.folder / f"{principal.replace('/', '-')}.keytab"
        self.administer(f"addprinc -randkey {principal}")
        self.administer(f"ktadd -k {path} {principal}")
        return str(path)

    def administer(self, command: str) -> None:
        """Run a command of `kadmin`."""
        self.run("kadmin.local", "-r", REALM, "-q", command)

    @contextmanager
    def serving(self, *prefix: str) -> Iterator[None]:
        """Serve until the block ends; `prefix`: a command that runs the server."""
        with (self.folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*prefix, _path_of("krb5kdc"), "-n"],
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            _wait_for(self.port)
            yield
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # `faketime` does not end the server that it runs
            server.wait()

    @contextmanager
    def with_other_clock(self, offset: str) -> Iterator["Kdc"]:
        """Serve the same realm at another port, with a clock that differs, such as `+2h`."""
        folder = self.folder / "other"
        folder.mkdir()
        port = free_port()
        for name in ("krb5.conf", "kdc.conf"):
            (folder / name).write_text((self.folder / name).read_text().replace(f":{self.port}", f":{port}"))
        made = Kdc(folder, port)
        with made.serving("faketime", "-f", offset):
            yield made

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of Kerberos."""
        found = _path_of(program)
        done = subprocess.run([found, *arguments], env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def running_kdc(folder: Path) -> Iterator[Kdc]:
    """Make a realm and serve it until the block ends."""
    port = free_port()
    values = {"realm": REALM, "port": port, "folder": folder}
    (folder / "krb5.conf").write_text(_CLIENT.format(**values))
    (folder / "kdc.conf").write_text(_SERVER.format(**values))
    made = Kdc(folder, port)
    made.run("kdb5_util", "-r", REALM, "create", "-s", "-P", "master", "-W")
    with made.serving():
        yield made


def free_port() -> int:
    """Return a port of loopback at which no server listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _path_of(program: str) -> str:
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    assert found is not None, f"{program} is missing: scripts/setup test installs krb5-kdc and krb5-user"
    return found


def _wait_for(port: int) -> None:
    until = monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert monotonic() < until, "the KDC did not start"
            sleep(0.05)
        else:
            return
