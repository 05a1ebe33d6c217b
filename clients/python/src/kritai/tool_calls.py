"""Environments whose public methods are an agent's tools: records calls and results, and scores all
environments of a batch."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar

from kritai.agent_turns import call_of, result_of
from kritai.scored_rows import score_rows

OWN = frozenset(("reset", "get_reward"))


def _recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with its calls and their results recorded; keeps name, hints and docstring, from
    which a trainer makes the tool's schema."""

    def began(self: Any, *args: Any, **named: Any) -> str:
        bound = inspect.signature(method).bind(self, *args, **named).arguments
        call_id = str(len(self._turns) + 1)
        given = {name: value for name, value in bound.items() if name != "self"}
        self._turns.append(call_of(method.__name__, given, call_id))
        return call_id

    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def called(self: Any, *args: Any, **named: Any) -> Any:
            call_id = began(self, *args, **named)
            try:
                result = await method(self, *args, **named)
            except Exception as error:
                self._turns.append(result_of({"error": str(error)}, call_id))
                raise
            self._turns.append(result_of(result, call_id))
            return result

        return called

    @functools.wraps(method)
    def called_at_once(self: Any, *args: Any, **named: Any) -> Any:
        call_id = began(self, *args, **named)
        try:
            result = method(self, *args, **named)
        except Exception as error:
            self._turns.append(result_of({"error": str(error)}, call_id))
            raise
        self._turns.append(result_of(result, call_id))
        return result

    return called_at_once


def _beginning(reset: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(reset)
    def begun(self: Any, **row: Any) -> Any:
        self._begin(row)
        return reset(self, **row)

    return begun


def is_awaited_alone() -> bool:
    """Whether a trainer waits for this environment before it goes on with others, as AsyncGRPOTrainer
    does: those of its group may still be acting, so that it cannot be compared with them."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "_generate_loop":
            return True
        frame = frame.f_back
    return False


class RecordedTools:
    """A base of environments. `options` are those of `score_rows`; all instances that were reset since
    the last request for rewards are one batch."""

    options: ClassVar[dict[str, Any]] = {}
    _batch: ClassVar[list[Any]]

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls._batch = []
        for name, method in list(vars(cls).items()):
            if not name.startswith("_") and name not in OWN and inspect.isfunction(method):
                setattr(cls, name, _recorded(method))
        if "reset" in vars(cls):
            cls.reset = _beginning(cls.reset)  # type: ignore[method-assign]

    def reset(self, **row: Any) -> Any:
        """Text that the policy reads after its prompt; None: no text. A subclass's `reset` begins a run
        the same way."""
        self._begin(row)

    def _begin(self, row: dict[str, Any]) -> None:
        self._row = row
        self._turns: list[dict[str, Any]] = []
        self._scored: tuple[float | None] | None = None
        batch = type(self)._batch
        if self not in batch:
            batch.append(self)

    async def _reward(self, tool: str | None = None) -> float | None:
        """This run's reward. The first call of a batch asks for all its rewards, in one request; `tool`
        as in `ScoredRows`."""
        if self._scored is None:
            batch = type(self)._batch
            asked = [self] if is_awaited_alone() else list(batch)
            type(self)._batch = [one for one in batch if one not in asked]
            rows = [one._row for one in asked]
            rollouts: Any = [{"messages": one._turns} if one._turns else {"text": ""} for one in asked]
            names = {name for row in rows for name in row if name not in ("prompt", "environment")}
            columns = {name: [row.get(name) for row in rows] for name in names}
            prompts = [row.get("prompt") or "" for row in rows]
            scored = await score_rows(prompts, rollouts, columns=columns, tool=tool, framework="trl", **self.options)
            for one, reward in zip(asked, scored.component(None), strict=True):
                one._scored = (reward,)
        assert self._scored is not None
        return self._scored[0]
