"""A week of a fleet with all upkeep on, beside the same week without it: `python -m bench.fleet upkeep`.

Decisions are the product's own (`decide`, `upkeep_states`, the turns and holds of queued runs, the two looks for
orphans); tables, writers, workers and storage are modelled.

| module | content |
| --- | --- |
| `patterns`, `policies` | how tables are written, and their policies |
| `tables`, `orphans` | the model of a table, and of the files of failed writes |
| `states`, `week` | what the coordinator sees and decides, and the week |
| `bounds`, `report` | bounds by policy and pattern, and the tables of figures |
"""
