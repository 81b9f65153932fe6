"""REST catalogs: guarded requests, tokens and signatures, lists by pages, and the credentials that servers vend."""
