"""Linux script that ties itself to the life of its parent, then executes the given command (same process id).

The kernel kills the process when the thread that started it ends (PR_SET_PDEATHSIG), so no server outlives a
`kill -9` of Packhouse. It is a script and not a `preexec_fn`, because running Python between fork and exec can
deadlock a process that has threads (gRPC has many). The setting survives exec, but is not inherited by grandchildren: a
command must `exec` its real server rather than start it in the background.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Tie this process to the parent with pid `arguments[0]` and execute the command in the remaining arguments."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != int(arguments[0]):
        sys.exit("the parent ended before its server started")
    try:
        os.execvp(arguments[1], arguments[1:])  # noqa: S606 - the command comes from our own code, no shell is needed
    except OSError as error:
        sys.exit(f"{arguments[1]} can't be executed: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
