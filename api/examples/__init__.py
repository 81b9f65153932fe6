"""Examples of answers in the API's description: composed for each model from examples of its fields.

`composition` walks the schemas, so an example always has the fields that its model has. The values are those beside the
fields in `api.schemas`, and those of the other modules here: by model and field, or by name where a name has the same
value everywhere. All of them tell of one table, `lake.sales.orders`, and of one run that rewrote it.
"""
