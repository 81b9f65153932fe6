"""Listings of object stores by their own HTTP interfaces: requests, pages, limits."""
