"""A server on loopback that answers as the tests say, and remembers what it was sent. Standard library
only."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """`pieces`: sent one after the other, each flushed; a callable is called in between (to wait
    for an event). `cut`: then the
    connection is closed without the end of the body."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes | Callable[[], object]] | None = None
    cut: bool = False


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024
    """What does not fit is connected a second later, or 3, 7, .. 63: the standard library has 5."""


Answer = Callable[[Received, int], Reply | None]
"""The reply to a request, given how many came before it; None closes the connection without a
word."""


@dataclass
class FakeServer:
    url: str
    received: list[Received] = field(default_factory=list)
    in_flight: int = 0
    in_flight_max: int = 0
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client closed its connection before its reply was whole."""


@contextmanager
def serving(answer: Answer) -> Iterator[FakeServer]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(self.command, self.path, headers, body)
            with lock:
                number = len(state.received)
                state.received.append(request)
                state.in_flight += 1
                state.in_flight_max = max(state.in_flight_max, state.in_flight)
            try:
                self._send(answer(request, number))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
                state.left.set()
            finally:
                with lock:
                    state.in_flight -= 1

        def _send(self, reply: Reply | None) -> None:
            if reply is None:
                self.close_connection = True
                return
            pieces = reply.pieces or [json.dumps(reply.body).encode()]
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in pieces:
                if isinstance(piece, bytes):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                else:
                    piece()
            if reply.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        do_DELETE = do_GET = do_POST = do_PUT = _answer  # noqa: N815

        def log_message(self, *args: object) -> None:
            pass

    httpd = Server(("127.0.0.1", 0), Handler)
    state = FakeServer(f"http://127.0.0.1:{httpd.server_port}")
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def problem(status: int, code: str, *, retryable: bool = False, errors: Any = None, **headers: str) -> Reply:
    """A problem document as the server sends it."""
    body = {
        "type": f"http://localhost/docs/errors#{code}",
        "title": "t",
        "status": status,
        "detail": "what is wrong",
        "code": code,
    }
    body |= {"request_id": "01REQUEST", "retryable": retryable, **({"errors": errors} if errors else {})}
    names = {"content-type": "application/problem+json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    return Reply(status, body, names)


def last_words(rollout: dict[str, Any]) -> str:
    """A run's last words where they are a number, else 7."""
    said = str(rollout["messages"][-1].get("content")) if rollout.get("messages") else ""
    return said if said.isdigit() else "7"


def scored_group(group: dict[str, Any]) -> dict[str, Any]:
    """A group scored so that every reward tells its rollout: the number that its text is, or its last
    message; a text `none` has no score."""
    texts = [r["text"] if "text" in r else last_words(r) for r in group["rollouts"]]
    rewards = [None if text == "none" else float(text) for text in texts]
    known = [r for r in rewards if r is not None]
    rest = {"forfeits": 0, "unparsed": 0, "votes": None, "rank": 1, "duplicate_of": None, "format_ok": True}
    rest |= {"jams_judge": False}
    counts = {"wins": 1, "losses": 0, "ties": 0, "undecided": 0}
    results = [
        {
            "reward": reward,
            "error": "verifier_rejected" if reward is None else None,
            **({"retryable": False} if reward is None else {}),
            "components": {"base": reward, "format": 0, "overlong": 0},
            **counts,
            **rest,
        }
        for reward in rewards
    ]
    mean = sum(known) / len(known) if known else None
    metrics = {"parse_rate": 1, "tau_b": 0.5, "tau_b_undefined": None, "list_acc": True, "position_flip_rate": None}
    used = {"comparisons": 1, "generations": 2, "parsed": 1, "unparsed": 1, "failed": 0, "saved": 0}
    return {
        "group_id": group["group_id"],
        "status": "ok",
        "win_counts": [0] * len(rewards),
        "selected": 0,
        "selected_tied": [0],
        "rollouts": results,
        "metrics": {**metrics, "reward_mean": mean, "reward_std": 0},
        "verifier": {**used, "prompt_tokens": 0, "completion_tokens": 0, "latency_ms": {"p50": 0, "p99": 0, "max": 0}},
    }


def tail(request: dict[str, Any], request_id: str) -> dict[str, Any]:
    metrics = {
        "parse_rate": 1,
        "tau_b_mean": 0.5,
        "tau_b_undefined": 0,
        "list_acc": 1,
        "reward_mean": 9,
        "reward_std": 9,
    }
    names = {"run_id": request.get("run_id"), "step": request.get("step"), "spec_hash": "sha256:0"}
    timing = {"total": 1, "verifier": 1, "overhead": 0}
    return {"request_id": request_id, **names, "metrics": metrics, "timing_ms": timing, "logged": True, "warnings": []}


def rewards_reply(request: Received, request_id: str = "01REQUEST") -> Reply:
    groups = [scored_group(group) for group in request.json["groups"]]
    rewards = [[r["reward"] for r in group["rollouts"]] for group in groups]
    return Reply(body={**tail(request.json, request_id), "rewards": rewards, "groups": groups})


def rewards(request: Received, number: int) -> Reply:
    """Answers POST /v1/rewards."""
    return rewards_reply(request, f"01R{number}")


def line(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode() + b"\n"


def sent(server: FakeServer, at: int = 0) -> Any:
    """A request's content, as JSON."""
    return server.received[at].json
