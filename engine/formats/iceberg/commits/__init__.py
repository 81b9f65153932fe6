"""Commit written groups: conflict checks, manifests, the commit, its verification and rollback."""
