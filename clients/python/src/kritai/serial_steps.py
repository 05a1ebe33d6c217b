"""Refusing a trainer that awaits one step after another: a group gathered in its process would never be
whole."""

from __future__ import annotations

import asyncio
import sys
from types import FrameType

SERIAL = (
    "SkyRL awaits the steps of a batch one after another here, so no group would ever be whole: set generator.batched=false"
    " and environment.skyrl_gym.max_env_workers to the samples in flight"
)


def refuse_batched() -> None:
    """For an environment that is being made: `generator.batched=true` makes them all in one
    coroutine, and then awaits step after step."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "generate_batched":
            raise RuntimeError(SERIAL)
        frame = frame.f_back


def refuse_event_loop() -> None:
    """For a step that is about to wait: on the event loop it would wait for steps that cannot begin
    before it ends."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(SERIAL)
