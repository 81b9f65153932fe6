"""Compaction of tables by Paimon's core: conditions, tasks, commits, proofs, and files that runs leave."""
