"""Put what was built into the wheel of the server: the web console, and the libraries of the compiled pass.

`scripts/console` builds the console, as `api/console_files`; a wheel that is built without it serves no console and
says how to get one. Editable installs serve `clients/console/dist` itself. `scripts/compiled` builds the library for
this machine; without it, rewrites take the path of Python and Arrow.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuiltFiles(BuildHookInterface[Any]):
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
        for built in Path(self.root, "engine", "rewriting", "compiled", "lib").glob("*"):
            build_data["artifacts"].append(str(built.relative_to(self.root)))
