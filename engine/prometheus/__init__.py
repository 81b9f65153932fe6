"""Prometheus over the network: queries and their parsed answers. Stores nothing and decides nothing about runs."""
