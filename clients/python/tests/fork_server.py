"""A process that has imported what takes seconds, and forks for each plan that it is given."""

from __future__ import annotations

import json
import os
import selectors
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any


@dataclass
class Child:
    """The process of one plan, and what it has told so far."""

    pid: int
    id: object
    told: bytes = b""


def told_by(answer: Callable[[dict[str, Any]], dict[str, Any]], plan: dict[str, Any]) -> dict[str, Any]:
    """In a child: the answer under the plan's variables, or the last line of its error."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.update(plan["env"])
    try:
        return answer(plan)
    except BaseException as error:
        traceback.print_exc()
        return {"error": traceback.format_exception_only(error)[-1].strip()}


def forked(answer: Callable[[dict[str, Any]], dict[str, Any]], line: bytes) -> tuple[int, Child]:
    """A child for the plan in that line, and where to read what it tells."""
    plan = json.loads(line)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        with os.fdopen(write, "w") as pipe:
            json.dump(told_by(answer, plan), pipe)
        os._exit(0)
    os.close(write)
    return read, Child(pid, plan["id"])


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """For each line of stdin, a plan in JSON with `id` and `env`, a child; on stdout `ready`, then a
    line in JSON as each ends: `id`, and what it answered, or `error`. Returns when stdin and all
    children have ended."""
    # Trainers print; only the answers are for stdout.
    out, sys.stdout = sys.stdout, sys.stderr
    children: dict[int, Child] = {}

    def end(number: int, frame: FrameType | None) -> None:
        for child in children.values():
            os.kill(child.pid, signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    print("ready", file=out, flush=True)
    unread = b""
    with selectors.DefaultSelector() as pipes:
        pipes.register(0, selectors.EVENT_READ)
        while pipes.get_map():
            for key, _ in pipes.select():
                part = os.read(key.fd, 65536)
                if not part:
                    pipes.unregister(key.fd)
                if key.fd != 0:
                    children[key.fd].told += part
                    if not part:
                        os.close(key.fd)
                        child = children.pop(key.fd)
                        _, status = os.waitpid(child.pid, 0)
                        died = {"error": f"ended with {os.waitstatus_to_exitcode(status)}"}
                        told = json.loads(child.told) if status == 0 else died
                        print(json.dumps({"id": child.id, **told}), file=out, flush=True)
                    continue
                *lines, unread = (unread + part).split(b"\n")
                for line in lines:
                    read, child = forked(answer, line)
                    children[read] = child
                    pipes.register(read, selectors.EVENT_READ)
