"""Rewrites of delete files and deletion vectors: what is replaced, by what, the commit, and its proof."""
