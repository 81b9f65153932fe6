"""The servers that stand in for a platform on one machine."""
