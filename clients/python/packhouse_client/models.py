"""The documents of the API as classes, made from `openapi.yaml`: `from packhouse_client.models import RunSubmit`."""

from packhouse_client._generated.models import *  # noqa: F403 - the generated package lists its names
