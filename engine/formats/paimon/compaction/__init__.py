"""Compaction of tables by Paimon's core: conditions, tasks, commits and proofs."""
