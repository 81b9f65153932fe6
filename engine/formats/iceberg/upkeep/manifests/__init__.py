"""Rewrites of manifests: which are merged or split, the new ones, the commit, and its proof."""
