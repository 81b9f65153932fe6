# Generated from openapi.yaml by clients/generate.py; do not edit.
"""Contains endpoint functions for accessing the API"""
