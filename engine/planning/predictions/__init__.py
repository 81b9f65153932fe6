"""Predictions of a rewrite's files, bytes and seconds, and the statistics of earlier runs."""
