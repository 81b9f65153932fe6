"""Models of the API, generated from `openapi.yaml`: `from packhouse_client.models import RunSubmit`."""

from packhouse_client._generated.models import *  # noqa: F403 - the generated package lists its names
