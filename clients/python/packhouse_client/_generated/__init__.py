# Generated from openapi.yaml by clients/generate.py; do not edit.
