"""Runs the checks and prints them: a line for each, or one JSON document."""

import asyncio
import json
import sys
from typing import Final

from api.server.doctor.checks import Examination, Finding
from engine.settings.model import Settings

_WIDTH: Final = 11


def diagnose(settings: Settings, *, as_json: bool) -> int:
    """Check an installation, print the findings, and return the exit status: 0 if all is in order, otherwise 1."""
    return asyncio.run(_diagnose(Examination(settings), as_json=as_json))


async def _diagnose(examination: Examination, *, as_json: bool) -> int:
    found: list[Finding] = []
    async for finding in examination.findings():
        found.append(finding)
        if not as_json:
            sys.stdout.write(_line(finding))
            sys.stdout.flush()
    all_ok = all(each.ok for each in found)
    if as_json:
        checks = [{"check": each.check, "ok": each.ok, "found": each.found, "remedy": each.remedy} for each in found]
        sys.stdout.write(json.dumps({"ok": all_ok, "checks": checks}, indent=2) + "\n")
    return 0 if all_ok else 1


def _line(finding: Finding) -> str:
    remedy = "" if finding.remedy is None else f"; {finding.remedy}"
    return f"{'ok' if finding.ok else 'FAILED':6}  {finding.check:{_WIDTH}}  {finding.found.rstrip('.')}{remedy}\n"
