"""Manifests as columns: decoded as a whole, bounded in size, each path checked."""
