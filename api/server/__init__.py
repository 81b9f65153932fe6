"""Run parts of Packhouse in this process: socket, limits on connections, first key, signals, shutdown.

`python -m api` enters by `parts`. The only room that opens a container; no route knows it.
"""
