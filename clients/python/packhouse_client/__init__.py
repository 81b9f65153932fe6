"""Python SDK of Packhouse; generated from openapi.yaml by clients/generate.py."""
