"""Traces of requests and runs: spans are begun here, and exported only where OpenTelemetry is installed and configured.

All code begins spans through `spans`, which does nothing until `otel` is given to it; only `otel` imports the library.
"""
