"""Identity provider (OpenID Connect) over the network: discovery and published keys. Decides nothing about callers."""
