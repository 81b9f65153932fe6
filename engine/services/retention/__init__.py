"""Pruning of records past their retention time. Called by the coordinator."""
