"""The demo is run by hand and by `make demo` only; here it is made sure that its modules fit what they use."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = sorted(path.stem for path in (ROOT / "scripts" / "demo").glob("*.py"))


def test_every_module_of_the_demo_can_be_loaded() -> None:
    assert "server" in MODULES
    load = f"import sys; sys.path.insert(0, 'scripts/demo'); [__import__(name) for name in {MODULES}]"
    done = subprocess.run([sys.executable, "-c", load], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
