"""Several processes of one training: keeps each from scoring a part of a group, and scores their rows
together."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from kritai.errors import KritaiError

T = TypeVar("T")


def several_processes() -> Any:
    """torch.distributed, where the training that runs here has several processes; else None."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed if distributed.get_world_size() > 1 else None


def require_whole(keys: Sequence[str], num_generations: int | Sequence[int] | None, *, gathers: bool) -> None:
    """Raises ValueError where the rows of a prompt (equal keys) are a part of a group, or may be:
    rewards over a part differ, without any other sign.

    num_generations: the completions of a prompt; several numbers where evaluation has another.
    """
    if num_generations is None:
        if not gathers and several_processes() is not None:
            raise ValueError(
                "the training has several processes, so that one may hold a part of a group: name num_generations "
                "(a part then raises), or gather=True (all processes' rows are scored together)"
            )
        return
    sizes = [num_generations] if isinstance(num_generations, int) else list(num_generations)
    counts = set(Counter(keys).values())
    parts = [count for count in counts if all(count % size for size in sizes)]
    if parts:
        wanted = " or ".join(map(str, sizes))
        raise ValueError(
            f"{parts[0]} completions of a prompt, not {wanted}: this process holds a part of a group; make its batch "
            "a multiple of num_generations, or say gather=True"
        )


class Crew:
    """Scores the rows of all processes together, in the first one. Each process must ask about each
    batch, in the same order, as trainers do. Pickles."""

    def __init__(self) -> None:
        self._group: Any = None

    def __reduce__(self) -> Any:
        return (Crew, ())

    async def together(self, rows: Sequence[Any], score: Callable[[list[Any]], Awaitable[T]]) -> tuple[T, int]:
        """The result over all rows, and the index of this process's first row. A fault raises in every
        process."""
        distributed = several_processes()
        if distributed is None:
            return await score(list(rows)), 0
        # Nothing is awaited before all have met, so that several functions meet in the same order.
        # Over the CPU: the device of a trainer's own group is not known on this thread.
        if self._group is None:
            self._group = distributed.new_group(backend="gloo")
        held: list[Any] = [None] * distributed.get_world_size()
        distributed.all_gather_object(held, list(rows), group=self._group)
        rank = distributed.get_rank()
        box: list[Any] = [None]
        if rank == 0:
            box = [await _outcome(score([row for each in held for row in each]))]
        await asyncio.to_thread(distributed.broadcast_object_list, box, src=0, group=self._group)
        scored, fault = box[0]
        if fault is not None:
            raise fault
        return scored, sum(len(each) for each in held[:rank])


async def _outcome(scoring: Awaitable[T]) -> tuple[T | None, Exception | None]:
    """The result or the fault, in a form that another process can receive: Kritai's errors as they are,
    of others only the text."""
    try:
        return await scoring, None
    except (KritaiError, ValueError) as fault:
        return None, fault
    except Exception as fault:
        return None, RuntimeError(f"{type(fault).__name__}: {fault}")
