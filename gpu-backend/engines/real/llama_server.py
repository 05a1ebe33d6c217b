# Serves the made models with llama.cpp's own HTTP server, one port a model.
"""Usage: python llama_server.py NAME=FILE.gguf ..

Prints one line of JSON, {NAME: base URL}, once every model answers; ends on SIGTERM or when its
standard input does.
"""

import json
import signal
import sys

import xllamacpp

SLOTS = 4
SLOT_TOKENS = 32_768


def parameters(name: str, path: str, slots: int, slot_tokens: int) -> xllamacpp.CommonParams:
    """Settings of a server on a free loopback port, on the CPU."""
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = slots * slot_tokens
    params.n_parallel = slots
    params.n_gpu_layers = 0
    params.fit_params = False
    params.warmup = False
    params.ui = False
    params.verbosity = 1
    params.endpoint_metrics = True
    return params


def serve(name: str, path: str) -> xllamacpp.Server:
    """A server of one thread; the model is loaded when this returns."""
    params = parameters(name, path, SLOTS, SLOT_TOKENS)
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = 1
    return xllamacpp.Server(params)


def main(models: list[str]) -> None:
    servers = {name: serve(name, path) for name, path in (model.split("=", 1) for model in models)}
    print(json.dumps({name: server.listening_address for name, server in servers.items()}), flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
