"""Benchmark of the web console in Chromium, against an api and a Postgres of its own: `python -m bench.console` (B24).

| module | content |
| --- | --- |
| `lists` | long lists: time to the first rows, frames while scrolling, time of a filter or another order |
| `run_page` | memory of a run's page that stays open |
| `pages` | signed-in pages, times and frames, and the size of the first load |
| `records` | the record in Postgres, and a table of many partitions in a catalog of its own |
"""
