"""Benchmark of whole fleets and of single large tables over days of virtual time: `python -m bench.fleet`.

`make simulate` runs it after the seeds of `tests.simulation`. It prints a table in Markdown for each scenario (those of
docs/contributing/fleet-scenarios.md) and exits with 1 when a bound does not hold. Tests in `tests/simulation/fleet` run
small versions.

| module | scenario |
| --- | --- |
| `race` | compare Packhouse with other strategies: `population` (tables, writers), `choosers`, `machine` |
| `starvation` | longest wait of each team; `line` is the queue of waiting runs in memory |
| `replays` | each preset on the write histories of `histories` |
| `storm`, `explained`, `artemis` | the product's processes in a `tests.simulation.world` (`artemis`: a `long_table`) |
| `upkeep` | a week with all upkeep on, beside the same week without it |
"""
