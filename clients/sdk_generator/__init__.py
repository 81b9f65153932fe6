"""Parts of `clients/generate.py`: enums, models and requests of the Python SDK, each written into one module."""
