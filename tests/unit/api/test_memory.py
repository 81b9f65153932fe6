"""Memory that a server keeps: of many threads that allocate at once, in a process of its own."""

import subprocess
import sys

_ARENAS = """
import ctypes, threading
from api.server.memory import limit_malloc_arenas
{limit}
ready = threading.Barrier(17)
def allocate():
    kept = [bytearray(1000 + number) for number in range(2000)]
    ready.wait()
    ready.wait()
for _ in range(16):
    threading.Thread(target=allocate, daemon=True).start()
ready.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
shown = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, shown)
libc.fclose(shown)
"""


def arenas(limit: str) -> int:
    shown = subprocess.run(
        [sys.executable, "-c", _ARENAS.format(limit=limit)], capture_output=True, text=True, check=True
    )
    return shown.stdout.count("<heap nr=")


def test_threads_of_a_server_share_two_arenas() -> None:
    assert arenas("") > 2
    assert arenas("limit_malloc_arenas()") == 2
