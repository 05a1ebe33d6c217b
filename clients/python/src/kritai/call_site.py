"""The line of the user's code that a warning points at: the first frame outside of this package. Calls
of synchronous code run on a separate thread, so the line is passed along as context."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
BETWEEN = ("asyncio", "concurrent", "contextlib", "importlib", "runpy", "threading")
"""Top-level modules whose frames lie between the user's code and this package."""


@dataclass(frozen=True)
class CallSite:
    """Where a call was made, in the words of `warnings.warn_explicit`."""

    filename: str
    lineno: int
    module: str
    registry: dict[Any, Any]


_site: ContextVar[CallSite | None] = ContextVar("kritai_call_site", default=None)


def _is_users(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return not frame.f_code.co_filename.startswith((PACKAGE, "<frozen")) and name.split(".")[0] not in BETWEEN


def call_site() -> CallSite | None:
    """The user's line of the present call; on this package's own thread the line that started the work."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_users(frame):
        frame = frame.f_back
    if frame is None:
        return _site.get()
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    return CallSite(frame.f_code.co_filename, frame.f_lineno, str(frame.f_globals.get("__name__")), registry)


def carrying(start: Callable[..., T], *given: Any) -> T:
    """`start(*given)`, in a context that holds the present call site, for work that begins on another thread."""
    context = copy_context()
    context.run(_site.set, call_site())
    started: T = context.run(start, *given)
    return started


def warn_user(text: str, category: type[Warning]) -> None:
    """A warning at the user's line."""
    site = call_site()
    if site is None:
        warnings.warn(text, category, stacklevel=2)
    else:
        warnings.warn_explicit(text, category, site.filename, site.lineno, site.module, site.registry)
