"""The most that a hostile server may cost its client: seconds and memory, measured in this process."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from pathlib import Path
from threading import Thread
from typing import Any, Final

MOST_MIB: Final = 256
_STATUS: Final = Path("/proc/self/status")
_RESET: Final = Path("/proc/self/clear_refs")


def error_within(seconds: float, call: Callable[[], Any], *, mib: int = MOST_MIB) -> BaseException | None:
    """Return the error of a call, which takes at most this time, and this much memory in addition to that held before.

    The call is made in a thread, which is left alone if it does not end.
    """
    done: Future[BaseException | None] = Future()
    _RESET.write_text("5")  # the peak begins again at the present size (proc(5))
    before = _kib("VmRSS")
    Thread(target=lambda: done.set_result(_error_of(call)), daemon=True).start()
    begun = time.monotonic()
    try:
        error = done.result(seconds)
    except NotDone:
        error = AssertionError("not done")
    took, grew = time.monotonic() - begun, (_kib("VmHWM") - before) / 1024
    assert took <= seconds, f"did not end within {seconds:g} s"
    assert grew <= mib, f"took {grew:.0f} MiB of memory; {mib} MiB is the most"
    return error


def _error_of(call: Callable[[], Any]) -> BaseException | None:
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - returned
        return error
    return None


def _kib(name: str) -> int:
    return next(int(line.split()[1]) for line in _STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
