"""Task functions for tests of dispatchers. They are nested, so that they travel to Spark by value."""

import fcntl
from collections.abc import Callable
from pathlib import Path


def upper_case() -> Callable[[str], str]:
    """Answer the payload in capitals."""

    def work(payload: str) -> str:
        return payload.upper()

    return work


def raising(message: str) -> Callable[[str], str]:
    """Raise a ValueError."""

    def work(payload: str) -> str:
        raise ValueError(message)

    return work


def holding(path: Path) -> Callable[[str], str]:
    """Take a lock on the file, say so in it, and never return: the lock is free when the task is dead, not before."""

    def work(payload: str) -> str:
        import fcntl  # noqa: PLC0415 - in a Spark task, where this module does not exist
        import time  # noqa: PLC0415

        with path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("held")
            file.flush()
            while True:
                time.sleep(0.01)

    return work


def waiting_for(path: Path) -> Callable[[str], str]:
    """Say that it started in `<path>.started`, return when the file exists."""

    def work(payload: str) -> str:
        import time  # noqa: PLC0415

        Path(f"{path}.started").touch()
        while not path.exists():
            time.sleep(0.01)
        return payload

    return work


def is_held(path: Path) -> bool:
    """True while a task of `holding` is alive."""
    if not path.exists() or path.read_text() != "held":
        return False
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def deaf(folder: Path) -> Callable[[str], str]:
    """Touch `started` in the folder, then go on through every stop that Python can raise until `release` is there."""

    def work(payload: str) -> str:
        import time  # noqa: PLC0415 - in a Spark task

        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                (folder / "started").touch()
                while not (folder / "release").exists() and time.monotonic() < end:
                    time.sleep(0.01)
            except BaseException:  # noqa: BLE001 - being deaf is its purpose
                continue
            break
        return payload

    return work
