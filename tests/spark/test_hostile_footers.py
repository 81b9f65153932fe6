"""Tasks on a real Spark whose inputs have false footers."""

from pathlib import Path

from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import GroupResult
from engine.spark.dispatch import SparkDispatcher
from tests.support.hostile_footers import EDITS, claiming, edited
from tests.unit.kernel.building import make_task, write
from tests.unit.kernel.spliced import NESTED, table


def test_f42_tasks_with_hostile_footers_end_by_name_and_the_engine_goes_on(
    spark_dispatcher: SparkDispatcher, tmp_path: Path
) -> None:
    """F42: one of these ended the Python worker: Spark repeats such a task, and the run fails without a reason."""
    sound = Path(write(tmp_path / "sound.parquet", table(3, 200)).path).read_bytes()
    bodies = {name: edited(sound, edit) for name, (edit, _) in EDITS.items()}
    bodies |= {"a million columns": claiming(sound, 900_000), "sound": sound}
    payloads = []
    for number, body in enumerate(bodies.values()):
        one = write(tmp_path / f"{number}.parquet", table(3, 200))
        Path(one.path).write_bytes(body)
        task = make_task(tmp_path / f"{number}", [one.__class__(one.path, len(body), one.record_count)], NESTED)
        payloads.append(task.to_json())
    results = spark_dispatcher.run(spark_dispatcher.ticket("run_hostile", 1, 1), run_task, payloads)
    outcomes = dict(zip(bodies, (GroupResult.from_json(each).outcome for each in results), strict=True))
    assert outcomes == {
        **dict.fromkeys(bodies, "failed"),
        "encrypted": "refused",
        "an id that Arrow cuts": "written",
        "sound": "written",
    }
