"""Rewrites of tables by Paimon's core and the kernel: conditions, tasks, commits and proofs."""
