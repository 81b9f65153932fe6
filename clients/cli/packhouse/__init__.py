"""Command line of Packhouse, on the generated SDK."""
