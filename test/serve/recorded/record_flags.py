"""Reads an engine's command-line flags out of its released source. Must not know which of them the
recipes use.

    python3 record_flags.py vllm   vllm-0.33.0.tar.gz > vllm-0.33.0.json
    python3 record_flags.py sglang sglang-0.5.23-…whl > sglang-0.5.23.json

The archive is the one PyPI serves; nothing of it is run or installed, only its syntax trees are
read. A flag's value is "switch" (no value follows), "value", or the list of the values it takes."""
import ast
import hashlib
import json
import pathlib
import re
import sys
import tarfile
import zipfile


def texts(archive: pathlib.Path, wanted: str) -> dict[str, str]:
    """Sources whose path matches `wanted`, by path."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as z:
            return {n: z.read(n).decode() for n in z.namelist() if re.search(wanted, n)}
    with tarfile.open(archive) as t:
        return {m.name: t.extractfile(m).read().decode() for m in t if m.isfile() and re.search(wanted, m.name)}


def strings(node: ast.AST) -> list[str] | None:
    """The strings of a list, tuple or set display; None when it holds anything else."""
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return None
    values = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return values if len(values) == len(node.elts) else None


def literals(trees: list[ast.Module]) -> dict[str, list[str]]:
    """Names that stand for a Literal[...] of strings."""
    found = {}
    for node in (n for tree in trees for n in ast.walk(tree)):
        value = getattr(node, "value", None)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(value, ast.Subscript):
            name = node.targets[0] if isinstance(node, ast.Assign) else node.target
            inner = value.slice if isinstance(value.slice, ast.Tuple) else ast.Tuple([value.slice], ast.Load())
            if ast.unparse(value.value) == "Literal" and isinstance(name, ast.Name) and strings(inner):
                found[name.id] = strings(inner)
    return found


def vllm_kind(annotation: ast.AST, names: dict[str, list[str]]):
    parts = {part.strip() for part in ast.unparse(annotation).strip("'\"").split("|")} - {"None"}
    if "bool" in parts:
        return "value" if "str" in parts else "switch"
    (only, *more) = sorted(parts)
    return names[only] if not more and only in names else "value"


def parser_calls(tree: ast.Module) -> dict:
    """Flags registered by hand: add_argument("--x", action=…, choices=…)."""
    found = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "add_argument":
            continue
        keys = {k.arg: k.value for k in node.keywords}
        action = ast.unparse(keys["action"]) if "action" in keys else ""
        kind = "switch" if re.search("store_true|store_const|Boolean|StoreTrue|StoreConst", action) else "value"
        kind = strings(keys["choices"]) or kind if "choices" in keys else kind
        for flag in node.args:
            if isinstance(flag, ast.Constant) and str(flag.value).startswith("--"):
                found[flag.value] = kind
    return found


def vllm(archive: pathlib.Path) -> dict:
    sources = texts(archive, r"/vllm/(config/\w+|engine/arg_utils|entrypoints/(openai|common)/cli_args|utils/__init__|v1/attention/.*registry)\.py$")
    trees = {path: ast.parse(text) for path, text in sources.items()}
    names = literals(list(trees.values()))
    flags, negatable = {}, []
    for path, tree in trees.items():
        if "/config/" in path:
            continue
        for cls in (n for n in tree.body if isinstance(n, ast.ClassDef) and re.search("^(Async)?EngineArgs$|FrontendArgs$", n.name)):
            for field in (n for n in cls.body if isinstance(n, ast.AnnAssign) and not n.target.id.startswith("_")):
                flag = "--" + field.target.id.replace("_", "-")
                flags[flag] = vllm_kind(field.annotation, names)
                negatable += [flag] if flags[flag] == "switch" else []
        # Where a flag is also added by hand, the hand says no more than the field does, except for
        # new ones.
        flags = {**parser_calls(tree), **flags}
    parsers = texts(archive, r"/vllm/reasoning/__init__\.py$")
    flags["--reasoning-parser"] = sorted(set(re.findall(r'^    "([a-z0-9_]+)": \(', "".join(parsers.values()), re.M)))
    return {**flags, **{"--no-" + f[2:]: "switch" for f in negatable}}


def sglang_kind(annotation: ast.Subscript, arg: ast.AST):
    inner = ast.unparse(annotation.slice.elts[0])
    if "bool" in inner:
        return "switch"
    if "Literal" in inner:
        return [c for c in re.findall(r"'([^']+)'", inner)] or "value"
    keys = {k.arg: k.value for k in arg.keywords} if isinstance(arg, ast.Call) else {}
    return (strings(keys["choices"]) if "choices" in keys else None) or "value"


def sglang(archive: pathlib.Path) -> dict:
    flags = {}
    for text in texts(archive, r"/srt/(arg_groups/fields/\w+|server_args)\.py$").values():
        tree = ast.parse(text)
        for field in (n for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and isinstance(n.annotation, ast.Subscript)):
            if ast.unparse(field.annotation.value) != "A" or not isinstance(field.target, ast.Name):
                continue
            arg = field.annotation.slice.elts[1]
            keys = {k.arg: k.value for k in arg.keywords} if isinstance(arg, ast.Call) else {}
            if "no_cli" in keys:
                continue
            name = keys["cli_name"].value if "cli_name" in keys else "--" + field.target.id.replace("_", "-")
            for flag in [name, *(strings(keys["aliases"]) or [] if "aliases" in keys else [])]:
                flags[flag] = sglang_kind(field.annotation, arg)
        flags = {**flags, **parser_calls(tree)}
    names = "".join(texts(archive, r"/srt/parser/reasoning_parser_names\.py$").values())
    return {**flags, "--reasoning-parser": sorted(re.findall(r'^    "([^"]+)",', names, re.M))}


if __name__ == "__main__":
    engine, path = sys.argv[1], pathlib.Path(sys.argv[2])
    flags = {"vllm": vllm, "sglang": sglang}[engine](path)
    record = {
        "engine": engine,
        "version": re.search(r"-(\d+\.\d+\.\d+(?:\.post\d+)?)", path.name)[1],
        "source": f"{engine} on PyPI: {path.name}",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "flags": dict(sorted(flags.items())),
    }
    print(json.dumps(record, indent=1))
