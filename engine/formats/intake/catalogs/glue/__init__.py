"""AWS Glue as a catalog, for the clients of all formats: properties, and requests with their errors.

`requests` has the client and what its answers mean; `properties` what a catalog can be given, and its problems.
"""
