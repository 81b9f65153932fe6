"""One script for each figure to reach; run them as `python -m bench.<name>`."""
