"""Put the built web console into the wheel of the server, as `api/console_files`.

`scripts/console` builds it; a wheel that is built without it serves no console and says how to get one. Editable
installs serve `clients/console/dist` itself.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ConsoleFiles(BuildHookInterface[Any]):
    """Adds the files at the start of a build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include the console unless the install is editable."""
        folder = Path(self.root, "clients", "console", "dist")
        if version == "editable":
            return
        if not (folder / "index.html").is_file():
            self.app.display_warning("the wheel has no web console: run scripts/console first")
            return
        build_data["force_include"][str(folder)] = "api/console_files"
