"""Bytes between a task and the storage: file systems, allowed places, pacing, the pace channel."""
