"""Query parameters of lists: pages, filters, values that are sent as text.

Routes declare them, schemas take the page. Nothing here reads a row: services filter and sort.
"""
