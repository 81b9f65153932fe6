"""Print the licences of the crates that are in the library of the compiled pass, with their texts.

Needs cargo, and the sources that it has downloaded for the build.
"""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

CRATE: Final = Path(__file__).parents[1] / "engine/rewriting/compiled/Cargo.toml"
TEXTS: Final = ("LICEN[CS]E*", "COPYING*", "zstd/LICENSE")
"""Files of a crate; the last is that of the C sources that one of them has."""


def linked(*command: str) -> str:
    """Return what a command of cargo prints about the crate."""
    words = ["cargo", *command, "--locked", "--manifest-path", str(CRATE)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Print name, version, licence and texts of each crate, in the order of names."""
    names = {line.split()[0] for line in linked("tree", "--edges", "normal", "--prefix", "none").splitlines()}
    packages: list[dict[str, Any]] = json.loads(linked("metadata", "--format-version", "1"))["packages"]
    for one in sorted(packages, key=lambda package: package["name"]):
        folder = Path(one["manifest_path"]).parent
        if one["name"] not in names or folder == CRATE.parent:
            continue
        print(f"{'=' * 80}\n{one['name']} {one['version']}: {one['license']}\n")
        for path in sorted({path for pattern in TEXTS for path in folder.glob(pattern)}):
            print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
