"""The types of problem answers, and the problems of single fields.

`api.http.errors` builds answers of them, routes declare them. Never imports a route, a schema or a middleware.
"""
