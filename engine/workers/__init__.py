"""The loops that advance runs: worker, heartbeat, reaper, outbox relay."""
