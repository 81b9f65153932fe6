"""Files, bytes and seconds that are expected of a rewrite, and what earlier runs measured."""
