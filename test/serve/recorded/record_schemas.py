"""Cuts published JSON schemas down to what the recipes are held to. Must not know the recipes'
contents.

    python3 record_schemas.py kubernetes kubernetes_validate-1.37.0-py3-none-any.whl >
    kubernetes-1.34.json python3 record_schemas.py compose dclint-3.1.0.tgz > compose-spec.json
    python3 record_schemas.py ray > ray-serve-2.60.0.json (with ray[serve]==2.60.0 installed)
    python3 record_schemas.py cloud > cloud.json (with skypilot==0.14.1 and modal==1.6.4 installed)

Descriptions go; what an object does not name it may not hold (where the schema does not say
otherwise)."""
import hashlib
import json
import pathlib
import sys
import tarfile
import zipfile

KUBERNETES = "v1.34.0-local-strict"
KINDS = {
    "v1/ConfigMap": "io.k8s.api.core.v1.ConfigMap",
    "v1/Service": "io.k8s.api.core.v1.Service",
    "apps/v1/Deployment": "io.k8s.api.apps.v1.Deployment",
    "apps/v1/StatefulSet": "io.k8s.api.apps.v1.StatefulSet",
    "networking.k8s.io/v1/Ingress": "io.k8s.api.networking.v1.Ingress",
    "networking.k8s.io/v1/NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
    "policy/v1/PodDisruptionBudget": "io.k8s.api.policy.v1.PodDisruptionBudget",
}
PROSE = {"description", "title", "default", "example", "examples"}


def bare(node, inside_properties=False):
    """Without prose and vendor keys; a property that is called `description` stays."""
    if isinstance(node, list):
        return [bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {k: v for k, v in node.items() if inside_properties or not (k in PROSE or k == "$schema" or k.startswith("x-"))}
    return {k: bare(v, not inside_properties and k in ("properties", "definitions", "$defs", "patternProperties")) for k, v in kept.items()}


def closed(node):
    """Objects that name their properties hold no others."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {k: closed(v) for k, v in node.items()}
    is_object = "object" in (out.get("type") or []) and isinstance(out.get("properties"), dict)
    return {"additionalProperties": False, **out} if is_object else out


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rsplit("/", 1)[1]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def relinked(node):
    """References into another file become references into this one."""
    if isinstance(node, list):
        return [relinked(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {k: "#/definitions/" + v.rsplit("/", 1)[1] if k == "$ref" else relinked(v) for k, v in node.items()}


def kubernetes(path: pathlib.Path) -> dict:
    with zipfile.ZipFile(path) as z:
        name = next(n for n in z.namelist() if n.endswith(f"{KUBERNETES}/_definitions.json"))
        every = json.loads(z.read(name))["$defs"]
    needed, queue = {}, list(KINDS.values())
    while queue:
        name = queue.pop()
        if name not in needed:
            needed[name] = relinked(closed(bare(every[name])))
            queue += references(needed[name])
    return {
        "source": f"Kubernetes API {KUBERNETES.split('-')[0]}, by {path.name} of PyPI",
        "license": "Apache-2.0, The Kubernetes Authors",
        "kinds": {kind: {"$ref": f"#/definitions/{name}"} for kind, name in KINDS.items()},
        "definitions": dict(sorted(needed.items())),
    }


def compose(path: pathlib.Path) -> dict:
    with tarfile.open(path) as t:
        schema = json.load(t.extractfile("package/schemas/compose.schema.json"))
    return {
        "source": f"compose-spec.json of the Compose Specification, by {path.name} of npm",
        "license": "Apache-2.0, The Compose Specification Authors",
        "schema": {k: v for k, v in bare(schema).items() if not k.startswith("$")},
    }


def ray() -> dict:
    from ray.llm._internal.serve.core.configs.llm_config import LLMConfig, ModelLoadingConfig
    from ray.serve._private.config import DeploymentConfig
    from ray.serve.config import AutoscalingConfig, RequestRouterConfig
    from ray.serve.schema import ServeDeploySchema

    models = {
        "deploy": ServeDeploySchema,
        "llm_config": LLMConfig,
        "model_loading_config": ModelLoadingConfig,
        "autoscaling_config": AutoscalingConfig,
        "request_router_config": RequestRouterConfig,
    }
    # Fields that are not data (classes, functions) have no schema; any value is let through there.
    from pydantic.json_schema import GenerateJsonSchema

    class Lenient(GenerateJsonSchema):
        def handle_invalid_for_json_schema(self, schema, error_info):
            return {}

    schemas = {name: closed(bare(model.model_json_schema(schema_generator=Lenient))) for name, model in models.items()}
    return {
        "source": "pydantic models of ray[serve] 2.60.0",
        "license": "Apache-2.0, Ray Authors",
        "deployment_options": sorted(DeploymentConfig.model_fields),
        "schemas": schemas,
    }


def cloud() -> dict:
    import inspect

    import modal
    from sky.utils import schemas

    called = ["App", "App.function", "Image.from_registry", "Image.entrypoint", "Image.pip_install", "Image.add_local_dir"]
    called += ["Image.run_commands", "Image.env", "Volume.from_name", "Secret.from_name", "concurrent", "web_server", "is_local"]

    def parameters(path: str) -> dict:
        found = modal
        for name in path.split("."):
            found = getattr(found, name)
        of = inspect.signature(found.__init__ if inspect.isclass(found) else found).parameters.values()
        return {p.name: p.kind.name for p in of if p.name != "self"}

    return {
        "source": f"skypilot 0.14.1 and modal {modal.__version__} of PyPI",
        "license": "Apache-2.0, SkyPilot Authors; Apache-2.0, Modal Labs",
        "skypilot": {"task": bare(schemas.get_task_schema()), "resources": bare(schemas.get_resources_schema())},
        "modal": {path: parameters(path) for path in called},
    }


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    files = [pathlib.Path(name) for name in rest]
    record = {"kubernetes": kubernetes, "compose": compose, "ray": ray, "cloud": cloud}[what](*files)
    hashes = {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}
    print(json.dumps({**record, "sha256": hashes}, indent=1))
