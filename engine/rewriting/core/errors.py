"""Errors of the core's child JVM.

KernelError          of the kernel
└── CoreFault        the core could not be started, ended, or raised an exception
    └── OutOfHeap    the heap of its JVM was too small
"""

from engine.rewriting.kernel.errors import KernelError


class CoreFault(KernelError):
    """The core could not be started, ended during a call, or raised an exception; the text has its last messages."""


class OutOfHeap(CoreFault):
    """The heap of the child JVM was too small for the call; the JVM has ended."""
