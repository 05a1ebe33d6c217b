"""NeMo-Gym: `python -m kritai.shims.nemo_gym_relay 9000` is a resources server on 127.0.0.1 that
relays over https with a key.

NeMo-Gym itself can only reach `http://host:port` without headers. Name host and port, without
`entrypoint`, in the gym's configuration. Every path goes to the server's `/nemo-gym/...`; KRITAI_QUERY
adds the route's options, e.g. `spec=strict&group_size=8`. A sample without a score is an error;
`on_failure=flag` makes it a 0 in the gym's own idiom, which NeMo-RL would train on. A failure keeps its
status (none: 503), which NeMo-RL distinguishes: 5xx, 408, 429 are the infrastructure's, other 4xx the
data's. At most a quarter of `ulimit -n` samples (256 to 4,096) wait at once. Server and key:
KRITAI_BASE_URL, KRITAI_API_KEY.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler

from kritai.burst_server import BurstServer
from kritai.default_run import with_run
from kritai.errors import KritaiError
from kritai.gather import shared_client


class Relay(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        path = f"/nemo-gym{self.path}?{with_run('nemo-gym', os.environ.get('KRITAI_QUERY', ''))}"
        try:
            given = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"null")
            reply = shared_client().call(self.command, path, given, timeout_s=600, patient=True)
            status, body = 200, json.dumps(reply).encode()
        except (KritaiError, json.JSONDecodeError) as error:
            status, body = getattr(error, "status", 400) or 503, json.dumps({"detail": str(error)}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST  # noqa: N815


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) == 2 else sys.exit("usage: python -m kritai.shims.nemo_gym_relay PORT")
    shared_client()
    BurstServer(("127.0.0.1", port), Relay).serve_forever()
