"""Examples of answers in the API's description: composed for each model from examples of its fields.

`composition` walks the schemas, so an example always has the fields of its model. The values are those next to the
fields in `api.schemas`, and those of the other modules here: by model and field, or by name if a name has the same
value everywhere. All of them are about one table, `lake.sales.orders`, and one run that rewrote it.
"""
