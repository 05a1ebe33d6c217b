"""A server other than Kritai: the client's own errors with a hint, never a KeyError or a bare 404."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from kritai import BadReply, Kritai, NotFound


class _Other(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path.startswith("/v1/runs/")
        body = b'{"hello": 1}' if found else b"<h1>Not Found</h1>"
        self.send_response(200 if found else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def client() -> Iterator[Kritai]:
    server = HTTPServer(("127.0.0.1", 0), _Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Kritai(f"http://127.0.0.1:{server.server_port}") as made:
        yield made
    server.shutdown()
    server.server_close()


def test_a_reply_without_its_fields_names_the_first_that_is_missing(client: Kritai) -> None:
    with pytest.raises(BadReply, match="no field 'steps': is base_url a Kritai"):
        client.log.steps("mine")


def test_a_404_that_is_not_kritais_says_what_to_look_at(client: Kritai) -> None:
    with pytest.raises(NotFound, match="is base_url the address of Kritai itself, without a path"):
        client.spec("mine")
