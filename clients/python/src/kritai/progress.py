"""The one-line progress bar on stderr."""

from __future__ import annotations

import asyncio
import sys
import time
from types import TracebackType

_WIDTH = 24


class ProgressBar:
    """`async with ProgressBar(total, wanted) as bar: bar.add(n)`. Drawn from `after_s` on, twice a
    second, and wiped at the end.

    wanted: None = when stderr is a terminal. A bar that is not drawn costs nothing.
    """

    def __init__(self, total: int, wanted: bool | None, after_s: float = 1.0) -> None:
        self._shown = sys.stderr.isatty() if wanted is None else wanted
        self._total = total
        self._done = 0
        self._after_s = after_s
        self._started = time.monotonic()
        self._drawing: asyncio.Task[None] | None = None

    def add(self, count: int) -> None:
        self._done += count

    async def __aenter__(self) -> ProgressBar:
        if self._shown:
            self._drawing = asyncio.create_task(self._draw())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawing is not None:
            self._drawing.cancel()
            await asyncio.gather(self._drawing, return_exceptions=True)

    async def _draw(self) -> None:
        await asyncio.sleep(self._after_s)
        try:
            while True:
                sys.stderr.write(f"\r{self.line()}")
                sys.stderr.flush()
                await asyncio.sleep(0.5)
        finally:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def line(self) -> str:
        filled = _WIDTH * self._done // max(1, self._total)
        seconds = time.monotonic() - self._started
        return f"kritai [{'#' * filled}{'.' * (_WIDTH - filled)}] {self._done}/{self._total} groups, {seconds:.0f} s"
