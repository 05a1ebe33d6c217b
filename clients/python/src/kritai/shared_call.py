"""One call that several reward functions share, for trainers that take one function a component."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from kritai.scored_rows import ScoredRows


@dataclass
class _Call:
    completions: object
    """Held so that no other batch's list can have the same `id`."""
    running: asyncio.Future[ScoredRows]
    left: int


_calls: dict[tuple[str, int, int], _Call] = {}
CALLS_MAX = 64
"""Maximum number of batches kept while some function has not asked about them; the oldest are dropped
first."""


@dataclass(frozen=True)
class SharedCall:
    """One call for all functions, one a name in `takers`: the first that asks about a batch makes it,
    the others get its result. A batch is identified by its list of completions (`id`). Pickles."""

    takers: tuple[str | None, ...]
    token: str = field(default_factory=lambda: uuid.uuid4().hex)

    async def scored(self, completions: object, score: Callable[[], Awaitable[ScoredRows]]) -> ScoredRows:
        """The batch's rows, or the fault of its call."""
        key = (self.token, id(asyncio.get_running_loop()), id(completions))
        call = _calls.get(key)
        if call is None:
            call = _calls[key] = _Call(completions, asyncio.ensure_future(score()), len(self.takers))
            while len(_calls) > CALLS_MAX:
                del _calls[next(iter(_calls))]
        call.left -= 1
        if call.left == 0:
            _calls.pop(key, None)
        # One function that is cancelled must not end the call of the others.
        return await asyncio.shield(call.running)
