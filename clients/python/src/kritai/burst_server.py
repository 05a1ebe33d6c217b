"""The server of a relay that a whole batch of rollouts connects to at once."""

from http.server import ThreadingHTTPServer


class BurstServer(ThreadingHTTPServer):
    """A thread a connection. The library's own queue holds 5 connections, and the system resets
    those beyond it."""

    request_queue_size = 4096
