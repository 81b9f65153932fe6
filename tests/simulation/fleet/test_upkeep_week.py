"""Upkeep for days keeps snapshots, manifests and superseded files bounded, and does not delay rewrites."""

import pytest

from bench.fleet.upkeep import week as upkeep_week
from bench.fleet.upkeep.report import Judged, judge, report
from engine.domain.runs.run import Operation, Run


def judged() -> Judged:
    return judge(20, days=1, workers=2)


def test_l21_a_day_of_upkeep_holds_every_bound() -> None:
    found = judged()
    assert found.broken() == []
    operations = {operation for _, operation in found.on.runs}
    assert operations == {Operation.REWRITE, Operation.REWRITE_MANIFESTS, *found_expiries()}
    assert "stream, 30 s" in report(found)


def test_the_check_fails_when_upkeep_counts_for_min_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = upkeep_week._ended

    def ended(state: upkeep_week.State, *args: object, **options: object) -> Run:
        state.changed = usual(state, *args, **options)  # type: ignore[arg-type]
        return state.changed

    monkeypatch.setattr(upkeep_week, "_ended", ended)
    assert any("of rewrites begin within" in each for each in judged().broken())


def found_expiries() -> set[Operation]:
    return {Operation.EXPIRE_SNAPSHOTS, Operation.DELETE_OLD_COMPACTIONS}
