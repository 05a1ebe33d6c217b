"""A reward function for trainers that await no function."""

from __future__ import annotations

from typing import Any

from kritai.loop_thread import LoopThread
from kritai.named_reward import NamedReward


class SyncReward:
    """Runs an async reward function to its end on a separate loop, also when the caller is on a loop.
    Pickles."""

    def __init__(self, reward: NamedReward, thread: LoopThread) -> None:
        self.__name__ = reward.__name__
        self._reward = reward
        self._thread = thread

    def __call__(self, *args: Any, **given: Any) -> Any:
        return self._thread.run(self._reward(*args, **given))
