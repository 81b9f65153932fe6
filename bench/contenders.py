"""Three ways to compact one table of the lake: ours, Iceberg's procedure, and a bare pyarrow loop."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from bench.kernel import tuned_loop
from bench.lake import CATALOG, NAMESPACE, TARGET_BYTES, Lake


@dataclass(frozen=True, slots=True)
class Done:
    """What a contender made of the table."""

    output_files: int
    output_bytes: int


Contender = Callable[[Lake, str], Done]


def ours(lake: Lake, name: str) -> Done:
    """Packhouse over HTTP, from the trigger to the verified commit, as many groups at once as cores."""
    result = lake.service.rewrite(name)["result"]
    return Done(result["added_files"], result["added_bytes"])


def procedure(lake: Lake, name: str) -> Done:
    """Iceberg's `rewrite_data_files` with our target and as many groups at once as cores, else its defaults."""
    options = {"target-file-size-bytes": TARGET_BYTES, "max-concurrent-file-group-rewrites": lake.cores}
    listed = ", ".join(f"'{key}', '{value}'" for key, value in options.items())
    call = f"CALL {CATALOG}.system.rewrite_data_files(table => '{NAMESPACE}.{name}', options => map({listed}))"
    row = lake.spark.sql(call).collect()[0].asDict()
    files = lake.files(name)
    if row["failed_data_files_count"] or row["added_data_files_count"] != len(files):
        raise SystemExit(f"the procedure did not do it all: {row}, {len(files)} files")
    return Done(len(files), sum(size for _, size in files))


def bare_loop(lake: Lake, name: str) -> Done:
    """Read and write with pyarrow on one core: no plan, no commit, no proof."""
    paths = [path for path, _ in lake.files(name)]
    output = paths[0].with_name(f"loop-{uuid4().hex}.parquet")
    try:
        return Done(1, tuned_loop(paths, output))
    finally:
        output.unlink(missing_ok=True)


CONTENDERS: dict[str, Contender] = {"ours": ours, "procedure": procedure, "bare loop": bare_loop}
