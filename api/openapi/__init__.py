"""The API's description (`openapi.yaml`): built from the app, completed by rules, descriptions and examples.

`python -m api openapi` and `GET /openapi.json` enter by `description`. Changes no answer: only what is said of them.
"""
