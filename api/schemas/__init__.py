"""Wire models: what callers send and get, apart from the domain so that either may change."""
