# Generated from openapi.yaml by clients/generate.py; do not edit.
"""A client library for accessing Packhouse"""

from .client import AuthenticatedClient, Client

__all__ = (
    "AuthenticatedClient",
    "Client",
)
