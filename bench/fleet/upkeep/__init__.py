"""A week of a fleet with all upkeep on, beside the same week without it: `python -m bench.fleet upkeep`.

`tables` models the tables, `week` their days, `report` judges bounds and prints the figures. Decisions are the
product's own (`decide`, `upkeep_states`, the turns of queued runs).
"""
