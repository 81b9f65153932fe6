"""Libraries in place of that of the compiled pass, which fail in the ways that native code can."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from engine.rewriting.kernel.library.loading import INTERFACE

CRASH: Final = 99
"""Stands for a status of an answer: the process ends by a signal instead."""

_SOURCE: Final = """
#include <signal.h>
#include <string.h>
struct input { char *data; unsigned long length, rows, size; int codec; unsigned levels; unsigned long entries; };
struct answer {
    int status; unsigned plus_zero; char *data; unsigned long length, capacity, numbers[7]; char reason[64];
};
static int merges = 0;
unsigned packhouse_interface(void) { return NUMBER; }
void packhouse_merge(struct input *in, unsigned long count, void *wanted, struct answer *out) {
    memset(out, 0, sizeof *out);
    if (merges >= WORKING && AFTER == CRASH) raise(SIGSEGV);
    out->status = merges++ < WORKING ? 0 : AFTER;
    out->data = in->data; out->length = in->length; strcpy(out->reason, "bits");
}
void packhouse_release(char *data, unsigned long length, unsigned long capacity) {}
void packhouse_footers(void) {}
void packhouse_walk(void) {}
void packhouse_mix(void) {}
unsigned packhouse_hash_texts(void) { return 0; }
"""


def broken_library(folder: Path, number: int | None, working: int, after: int) -> bytes:
    """Return a library with an interface (None: the right one); after `working` merges, answers have a status."""
    if shutil.which("cc") is None and "CI" not in os.environ:
        pytest.skip("no C compiler on this machine; CI refuses to skip this")
    source, built = folder / "broken.c", folder / "broken.so"
    source.write_text(_SOURCE)
    named = {"NUMBER": INTERFACE if number is None else number, "WORKING": working, "AFTER": after, "CRASH": CRASH}
    flags = [f"-D{name}={value}" for name, value in named.items()]
    subprocess.run(["cc", "-shared", "-fPIC", *flags, source, "-o", built], check=True)
    return built.read_bytes()
