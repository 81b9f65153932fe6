"""Operations of the API as methods of both clients, each declared in one line from generated parts.

    class Tables(Resource[S]):
        get = Operation(requests.get_table, AsModel(lambda: models.Table))
        list = Listing(requests.list_tables, AsModel(lambda: models.TableList))

The generated function defines the method's parameters and documentation, and the parser its result, so type checkers,
editors and `help` have all three. A call of `Packhouse` returns the result, that of `AsyncPackhouse` is awaited. Every
method has `.raw(…)`, which returns the unparsed JSON with headers. A body may be a plain dictionary, or be given by its
fields.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, overload

from packhouse_client.arguments import ABSENT
from packhouse_client.errors import ListExpired, UnreadableAnswer
from packhouse_client.senders import Answer, AsyncSender, Sender, new_key
from packhouse_client.walks import Walk

if TYPE_CHECKING:
    from packhouse_client.bases import Model

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
M = TypeVar("M", bound="Model")
S = TypeVar("S", Sender, AsyncSender)


class Page(Protocol[T_co]):
    """One page of a list."""

    @property
    def items(self) -> Sequence[T_co]:
        """The items of this page."""

    @property
    def next_page_token(self) -> str | None:
        """The `page_token` of the next page; None on the last."""


class Resource(Generic[S]):
    """The operations of one kind of object, over one sender."""

    def __init__(self, sender: S) -> None:
        self._sender: S = sender


@dataclass(frozen=True, slots=True)
class Recipe(Generic[P, T]):
    """Builds an operation's request and parses its answer; shared by its bound forms. `key`: see `walks.Walk`."""

    request: Callable[P, dict[str, Any]]
    answer: Callable[[Any], T]
    name: str = ""
    key: Sequence[str] = ()

    def arguments(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the arguments for httpx. A creating POST gets an `Idempotency-Key`, the same for all attempts.

        Raises:
            TypeError: the arguments do not fit the operation; the message has its signature.
        """
        parameters = inspect.signature(self.request)
        self._check(parameters, args, kwargs)
        if kwargs.get("idempotency_key") is None and "idempotency_key" in parameters.parameters:
            kwargs["idempotency_key"] = new_key()
        try:
            return self.request(*args, **kwargs)
        except TypeError as error:
            raise self._misuse(parameters, str(error)) from None

    def _check(self, parameters: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        try:
            given = parameters.bind(*args, **kwargs).arguments
        except TypeError as error:
            fields = [name for name, parameter in parameters.parameters.items() if parameter.default is ABSENT]
            known = f"; fields of its body are {', '.join(fields)}" if fields else ""
            raise self._misuse(parameters, f"{error}{known}") from None
        for name, value in given.items():
            in_path = parameters.parameters[name].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            if in_path and (not isinstance(value, str | int) or value == ""):
                raise self._misuse(parameters, f"{name} is part of the address, not {value!r}")
        body = given.get("body")
        if body is not None and not isinstance(body, Mapping) and not hasattr(body, "to_document"):
            raise self._misuse(parameters, f"body is a dictionary or a model, not {type(body).__name__}")

    def _misuse(self, parameters: inspect.Signature, what: str) -> TypeError:
        words = [
            name if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD else f"{name}=…"
            for name, parameter in parameters.parameters.items()
            if parameter.default is not ABSENT
        ]
        return TypeError(f"{self.name}: {what}; call it as {self.name}({', '.join(words)})")

    def parse(self, answer: Answer) -> T:
        """Return the answer as its model.

        Raises:
            UnreadableAnswer: it does not match the model of this version.
        """
        try:
            return self.answer(answer.document)
        except (TypeError, ValueError) as error:
            what = f"an answer that this version can't read: {type(error).__name__} {error}"
            raise UnreadableAnswer(what) from error


@dataclass(frozen=True, slots=True)
class AsModel(Generic[M]):
    """Parses answers as a model, which a function names: the models are imported when the first answer is parsed."""

    model: "Callable[[], type[M]]"

    def __call__(self, document: Any) -> M:
        """Return the document as the model.

        Raises:
            UnreadableAnswer: it does not match.
        """
        return self.model().parse_answer(document)


class Operation(Generic[P, T]):
    """Declares an operation with one answer."""

    def __init__(self, request: Callable[P, dict[str, Any]], answer: Callable[[Any], T]) -> None:
        self._recipe = Recipe(request, answer)

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the name of the method, for messages."""
        self._recipe = replace(self._recipe, name=f"{owner.__name__}.{name}")

    @overload
    def __get__(self, resource: Resource[Sender], owner: type) -> "Call[P, T]": ...
    @overload
    def __get__(self, resource: Resource[AsyncSender], owner: type) -> "AsyncCall[P, T]": ...
    def __get__(self, resource: Resource[Any], owner: type) -> "Call[P, T] | AsyncCall[P, T]":
        """Bind to the resource's sender."""
        sender = resource._sender  # noqa: SLF001 - one mechanism in two classes
        return Call(self._recipe, sender) if isinstance(sender, Sender) else AsyncCall(self._recipe, sender)


class Listing(Generic[P, T]):
    """Declares an operation that answers in pages; calling it iterates over the items of all pages.

    `key` names the fields that identify an item, of a list that may begin again or whose items may move.
    """

    def __init__(
        self, request: Callable[P, dict[str, Any]], answer: Callable[[Any], Page[T]], *, key: Sequence[str] = ()
    ) -> None:
        self._recipe = Recipe(request, answer, key=key)

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the name of the method, for messages."""
        self._recipe = replace(self._recipe, name=f"{owner.__name__}.{name}")

    @overload
    def __get__(self, resource: Resource[Sender], owner: type) -> "ListCall[P, T]": ...
    @overload
    def __get__(self, resource: Resource[AsyncSender], owner: type) -> "AsyncListCall[P, T]": ...
    def __get__(self, resource: Resource[Any], owner: type) -> "ListCall[P, T] | AsyncListCall[P, T]":
        """Bind to the resource's sender."""
        sender = resource._sender  # noqa: SLF001 - one mechanism in two classes
        return ListCall(self._recipe, sender) if isinstance(sender, Sender) else AsyncListCall(self._recipe, sender)


class _Documentation:
    """Descriptor that returns an operation's documentation as that of the method, for `help` and for editors."""

    def __init__(self, of_class: str | None) -> None:
        self._of_class = of_class

    def __get__(self, call: Any, owner: type) -> str | None:
        return self._of_class if call is None else inspect.getdoc(call.recipe.request)


class _Signature:
    """Descriptor that returns an operation's parameters as those of the method, for `inspect.signature`."""

    def __get__(self, call: Any, owner: type) -> inspect.Signature:
        if call is None:
            raise AttributeError("__signature__")
        own = inspect.signature(call.recipe.request)
        return own.replace(return_annotation=inspect.Signature.empty)


@dataclass(frozen=True)
class Call(Generic[P, T]):
    """An operation, ready to be called."""

    recipe: Recipe[P, T]
    sender: Sender
    __doc__ = _Documentation(__doc__)
    __signature__ = _Signature()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Send it and return its result."""
        return self.recipe.parse(self.raw(*args, **kwargs))

    def raw(self, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Send it and return the answer as it came."""
        return self.sender.send(self.recipe.arguments(*args, **kwargs))


@dataclass(frozen=True)
class AsyncCall(Generic[P, T]):
    """An operation, ready to be awaited."""

    recipe: Recipe[P, T]
    sender: AsyncSender
    __doc__ = _Documentation(__doc__)
    __signature__ = _Signature()

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Send it and return its result."""
        return self.recipe.parse(await self.raw(*args, **kwargs))

    async def raw(self, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Send it and return the answer as it came."""
        return await self.sender.send(self.recipe.arguments(*args, **kwargs))


@dataclass(frozen=True)
class ListCall(Generic[P, T]):
    """A paged operation, ready to be iterated over."""

    recipe: Recipe[P, Page[T]]
    sender: Sender
    __doc__ = _Documentation(__doc__)
    __signature__ = _Signature()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """Iterate over the items; a page is fetched when its first item is asked for. See `walks`."""
        walk = Walk[T](kwargs, self.recipe.key)
        while True:
            try:
                page = self.recipe.parse(self.sender.send(self.recipe.arguments(*args, **walk.arguments)))
            except ListExpired as error:
                walk.begin_again(error)
                continue
            yield from walk.new(page.items)
            if not walk.go_on(page.next_page_token):
                return

    def page(self, *args: P.args, **kwargs: P.kwargs) -> Page[T]:
        """Return one page."""
        return self.recipe.parse(self.raw(*args, **kwargs))

    def raw(self, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Return one page as it came."""
        return self.sender.send(self.recipe.arguments(*args, **kwargs))


@dataclass(frozen=True)
class AsyncListCall(Generic[P, T]):
    """A paged operation, ready for `async for`."""

    recipe: Recipe[P, Page[T]]
    sender: AsyncSender
    __doc__ = _Documentation(__doc__)
    __signature__ = _Signature()

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """Iterate over the items; a page is fetched when its first item is asked for. See `walks`."""
        walk = Walk[T](kwargs, self.recipe.key)
        while True:
            try:
                page = self.recipe.parse(await self.sender.send(self.recipe.arguments(*args, **walk.arguments)))
            except ListExpired as error:
                walk.begin_again(error)
                continue
            for item in walk.new(page.items):
                yield item
            if not walk.go_on(page.next_page_token):
                return

    async def page(self, *args: P.args, **kwargs: P.kwargs) -> Page[T]:
        """Return one page."""
        return self.recipe.parse(await self.raw(*args, **kwargs))

    async def raw(self, *args: P.args, **kwargs: P.kwargs) -> Answer:
        """Return one page as it came."""
        return await self.sender.send(self.recipe.arguments(*args, **kwargs))
