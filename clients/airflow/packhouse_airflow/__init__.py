"""Airflow provider of Packhouse: `operators`, `sensors`, `triggers` and `hooks`.

This module imports none of them: every command of Airflow reads it for the connection type and the links.
"""

from typing import Any


def get_provider_info() -> dict[str, Any]:
    """Return what Airflow registers: the connection type with its hook, and the link of the operator."""
    return {
        "package-name": "airflow-provider-packhouse",
        "name": "Packhouse",
        "description": "Compaction of lakehouse tables by Packhouse.",
        "connection-types": [
            {
                "connection-type": "packhouse",
                "hook-class-name": "packhouse_airflow.hooks.PackhouseHook",
                "hook-name": "Packhouse",
            }
        ],
        "extra-links": ["packhouse_airflow.links.PackhouseRunLink"],
    }
