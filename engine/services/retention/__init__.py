"""Pruning of what the record need not keep any longer; the coordinator calls it."""
