"""The command `packhouse-server doctor`: checks that an installation's settings are complete and its servers usable."""
