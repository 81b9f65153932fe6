"""Table formats: one folder each, all behind the Protocols of `base`."""
