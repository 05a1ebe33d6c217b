"""The default run of a shim whose user named none, so that its rewards still have a page in the run
log. All processes of one training get the same name, as samples of different runs never meet in a
group."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path

from kritai.loop_thread import ProcessLock

NAMED_BY = ("WANDB_RUN_ID", "MLFLOW_RUN_ID", "SLURM_JOB_ID", "TORCHELASTIC_RUN_ID")
"""Variables by which launchers and trackers name a run for all of its processes."""

ID_MAX = 128
_UNSAID = ("", "none")

_locked = ProcessLock()
_made: dict[str, str] = {}


def default_run(tool: str) -> str:
    """KRITAI_RUN_ID, else a name that begins with the tool's: of the tracker's or launcher's run, of Ray's session
    and job, or of the time at which this training began. Logged when it is made, once for each tool and process."""
    if named := os.environ.get("KRITAI_RUN_ID"):
        return named
    with _locked:
        if tool not in _made:
            _made[tool] = re.sub(r"[^A-Za-z0-9._:-]+", "-", f"{tool}-{_told() or _began()}")[:ID_MAX]
            text = "run_id is %s: its page is under /runs of the server. Name your own by run_id or KRITAI_RUN_ID"
            logging.getLogger("kritai").warning(text, _made[tool])
        return _made[tool]


def shared_run(tool: str) -> str | None:
    """`default_run` where the samples of a group come from several processes, which must not each name
    a separate run; None without a shared name."""
    return default_run(tool) if os.environ.get("KRITAI_RUN_ID") or _told() else None


def with_run(tool: str, query: str) -> str:
    """A URL's query as its user wrote it, with the default run where it names none."""
    return query if "run_id=" in query else f"{query}&run_id={default_run(tool)}".lstrip("&")


def forget_default_runs() -> None:
    _made.clear()


def _told() -> str | None:
    run = getattr(sys.modules.get("wandb"), "run", None)
    known = [getattr(run, "id", None), *(os.environ.get(name) for name in NAMED_BY)]
    said = next((each for each in known if isinstance(each, str) and each.lower() not in _UNSAID), None)
    return said or _ray_job()


def _ray_job() -> str | None:
    """Ray's session and job, which all workers of one training share; None outside of Ray."""
    ray = sys.modules.get("ray")
    with suppress(Exception):
        if ray is not None and ray.is_initialized():
            session = str(ray._private.worker.global_worker.node.session_name)
            found = re.search(r"(\d{4})-(\d\d)-(\d\d)_(\d\d)-(\d\d)", session)
            day = "{}{}{}-{}{}".format(*found.groups()) if found else "ray"
            job = f"{session} {ray.get_runtime_context().get_job_id()}"
            return f"{day}-{hashlib.sha256(job.encode()).hexdigest()[:4]}"
    return None


def _began() -> str:
    """Date, time and four hex digits. The ranks of a launcher share those of the launcher's process."""
    shared = _launcher() if "RANK" in os.environ or "LOCAL_RANK" in os.environ else None
    at, mark = shared or (time.time(), uuid.uuid4().hex)
    return f"{time.strftime('%Y%m%d-%H%M', time.localtime(at))}-{mark[:4]}"


def _launcher() -> tuple[float, str] | None:
    """When the parent process began, and a digest that its other children compute equally; None where
    the system does not report it."""
    with suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{os.getppid()}/stat").read_text()
        ticks = int(status.rpartition(")")[2].split()[19])
        boot = float(re.search(r"btime (\d+)", Path("/proc/stat").read_text())[1])  # type: ignore[index]
        began = boot + ticks / os.sysconf("SC_CLK_TCK")
        names = f"{os.environ.get('MASTER_ADDR')} {os.environ.get('MASTER_PORT')} {os.getppid()} {ticks}"
        return began, hashlib.sha256(names.encode()).hexdigest()
    return None
