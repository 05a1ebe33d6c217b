"""An async reward function with a name that pickles. Must not know any tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any


class NamedReward:
    """`function` with its first arguments bound. Trainers unwrap a functools.partial to find a
    name, and every component would have the same one.

    Holds what makes `inspect.iscoroutinefunction` take it for a function: trainers await no other.
    """

    def __init__(self, name: str, function: Callable[..., Awaitable[Any]], *bound: Any) -> None:
        self.__name__ = name
        self._function = function
        self._bound = bound

    async def __call__(self, *args: Any, **given: Any) -> Any:
        return await self._function(*self._bound, *args, **given)

    __code__ = __call__.__code__
    __defaults__ = None
    __kwdefaults__ = None
