"""`PackhouseResource`: the Python SDK of Packhouse as a resource of Dagster."""

from dagster import ConfigurableResource
from packhouse_client import Packhouse
from pydantic import Field


class PackhouseResource(ConfigurableResource[Packhouse]):
    """A Packhouse server. Give the key as `EnvVar("PACKHOUSE_API_KEY")`: Dagster shows a plain text to its users."""

    url: str = Field(description="Address of the server, such as `https://packhouse.example`.")
    api_key: str = Field(default="", description="API key; an `EnvVar`.")

    def client(self) -> Packhouse:
        """Return a client; use it in a `with` block.

        Raises:
            ValueError: the URL or the key is not valid.
        """
        return Packhouse(self.url, self.api_key)

    def run_url(self, run_id: str) -> str:
        """Return the address of a run's page in the web console."""
        return f"{self.url.rstrip('/').removesuffix('/v1')}/console/runs/{run_id}"
