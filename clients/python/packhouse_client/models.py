"""Models and enums of the API, generated from `openapi.yaml`: `from packhouse_client.models import RunSubmit`.

Models are pydantic's. Each generated module is imported when one of its names is first used: pydantic and the models
take longer to import than the rest of the SDK, and enums need neither.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhouse_client._generated.enums import *  # noqa: F403 - every name of a generated module
    from packhouse_client._generated.models import *  # noqa: F403
else:
    from importlib import import_module

    def __getattr__(name: str) -> object:
        """Return a class by its name; `__all__` is the list of names."""
        if name == "__all__":
            return sorted({**_classes("enums"), **_classes("models")})
        is_special = name.startswith("_")  # an import statement asks for `__path__`
        for module in () if is_special else ("enums", "models"):
            if (found := _classes(module).get(name)) is not None:
                return globals().setdefault(name, found)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return [*globals(), *__getattr__("__all__")]

    def _classes(module: str) -> dict[str, type]:
        """Return the classes that a generated module defines, without those that it imports."""
        found = import_module(f"packhouse_client._generated.{module}")
        defined = (value for value in vars(found).values() if getattr(value, "__module__", "") == found.__name__)
        return {value.__name__: value for value in defined}
