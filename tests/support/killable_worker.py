"""A worker process that ends itself with SIGKILL when a rewrite reaches a labelled step: `python -m … <step>`.

Settings come from the environment, as for the real worker.
"""

import asyncio
import os
import signal
import sys

from engine.factory import open_container
from engine.settings import Settings


async def main(step: str) -> None:
    """Work until killed."""

    def on_step(name: str) -> None:
        if name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    async with open_container(Settings(), step=on_step) as container:
        await container.worker.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
