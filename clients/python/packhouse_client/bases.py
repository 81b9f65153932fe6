"""Base class of the API's models. It imports pydantic, which takes as long as the rest of the SDK: import it late."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from packhouse_client.errors import UnreadableAnswer


class Model(BaseModel):
    """A document of the API.

    Fields that this version does not know are kept in `model_extra`, so that answers of a newer server are readable. A
    field that an older server does not answer is a `NotAnswered`, which raises where it is used.

    Schemas are built when the models are imported. Built at first use (`defer_build`) they would save a fifth of that
    import, but with pydantic before 2.14 first uses in two threads can validate with the base class instead of the
    model: https://github.com/pydantic/pydantic/issues/11849.
    """

    model_config = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())

    @classmethod
    def parse_answer(cls, document: object) -> Self:
        """Return a document of the server as this model.

        Raises:
            UnreadableAnswer: it does not match the model of this version; the message names the first field.
        """
        try:
            read = cls.model_validate(document)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = "/".join(map(str, first["loc"])) or "document"
            what = f"an answer that this version can't read: {cls.__name__}, {place}: {first['msg']}"
            raise UnreadableAnswer(what) from error
        if cls.model_fields and not read.model_fields_set & cls.model_fields.keys():
            raise UnreadableAnswer(f"an answer that this version can't read: it has no field of {cls.__name__}")
        return read

    def to_document(self) -> dict[str, Any]:
        """Return the fields that were given, as JSON has them."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
