// The recipes for clouds: SkyPilot's held to SkyPilot's own schemas, Modal's run against a stand-in of
// `modal` that knows the real one's parameters; and what both start, before the engine's simulator.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, describe, expect, it } from "vitest";
import { freePorts } from "../../lab/chaos/parts.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { documentsOf, FLAGS, faultsOf, ROOT, textOf } from "./records.ts";

const CLOUD = JSON.parse(textOf("test/serve/recorded/cloud.json"));
const IMAGE = `vllm/vllm-openai:v${FLAGS.vllm.version}`;
const JUDGE = "gpu-backend/serve/launch/judge.sh";
const MODAL = "gpu-backend/serve/cloud/modal_judge.py";

describe("skypilot.yaml", () => {
  const [task] = documentsOf("gpu-backend/serve/cloud/skypilot.yaml") as Record<string, Record<string, unknown>>[];
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
  const [ofTask, ofResources] = [CLOUD.skypilot.task, CLOUD.skypilot.resources].map((schema) => ajv.compile(schema));

  it("fits SkyPilot's schemas of a task and of its resources", () => {
    expect(faultsOf(ofTask as never, task)).toEqual([]);
    expect(faultsOf(ofResources as never, task?.resources)).toEqual([]);
    expect(faultsOf(ofTask as never, { ...task, set_up: "" })).not.toEqual([]);
    expect(faultsOf(ofResources as never, { ...task?.resources, accelerator: "H100" })).not.toEqual([]);
  });

  it("runs the pinned engine and the launch script, keeps its key out of the file, and opens no port", () => {
    expect(task?.resources?.image_id).toBe(`docker:${IMAGE}`);
    expect(`${task?.run}`).toContain(JUDGE);
    expect(task?.secrets).toEqual({ GATEWAY_API_KEY: null });
    expect(Object.keys(task?.resources ?? {})).not.toContain("ports");
  });
});

/** Stands for `modal`: each call is held to the real one's parameters, and told. */
const STAND_IN = `
import json, sys, types
PARAMETERS = json.load(open(sys.argv[1]))["modal"]
said = []
class Made:
    def __init__(self, kind): self.kind = kind
    def __getattr__(self, name): return called(f"{self.kind}.{name}", self.kind)
    def __call__(self, made): return made
def called(path, kind):
    def call(*args, **named):
        known = PARAMETERS[path]
        unknown = [name for name in named if name not in known]
        if unknown: raise TypeError(f"{path} has no {unknown}")
        positional = [name for name, how in known.items() if how.startswith("POSITIONAL")]
        if len(args) > len(positional) and "VAR_POSITIONAL" not in known.values(): raise TypeError(f"{path}: {args}")
        said.append([path, [*map(str, args)], {k: v if isinstance(v, (int, str, list)) else str(type(v).__name__) for k, v in named.items()}])
        return True if path == "is_local" else Made(kind)
    return call
modal = types.ModuleType("modal")
for name in ("concurrent", "web_server", "is_local"): setattr(modal, name, called(name, name))
modal.App = called("App", "App")
for kind in ("Image", "Volume", "Secret"): setattr(modal, kind, Made(kind))
sys.modules["modal"] = modal
import runpy
runpy.run_path(sys.argv[2])
print(json.dumps(said, default=lambda made: made.kind))
`;

describe.skipIf(spawnSync("python3", ["--version"]).status !== 0)("modal_judge.py", () => {
  const run = (file: string) =>
    spawnSync("python3", ["-c", STAND_IN, `${ROOT}test/serve/recorded/cloud.json`, file], { encoding: "utf8" });

  it("calls modal as it is, with the pinned engine, its secret by name, and time for the longest batch", () => {
    const { stdout, stderr } = run(ROOT + MODAL);
    expect(stderr).toBe("");
    const said = JSON.parse(stdout) as [string, string[], Record<string, unknown>][];
    const of = (path: string) => said.filter(([name]) => name === path);
    expect(of("Image.from_registry")[0]?.[1]).toEqual([IMAGE]);
    expect(of("Secret.from_name")[0]?.[2]).toEqual({ required_keys: ["GATEWAY_API_KEY"] });
    expect(of("Image.add_local_dir")[0]?.[1]).toEqual([ROOT.replace(/\/$/, ""), "/app"]);
    expect(of("Image.add_local_dir")[0]?.[2].ignore).toContain(".dev.vars*");
    const [, , settings] = of("App.function")[0] ?? [];
    expect(1000 * Number(settings?.timeout)).toBeGreaterThan(LIMITS.deadline_ms_max);
    expect(textOf(MODAL)).toContain(`/app/${JUDGE}`);
  });

  it("would be refused with a parameter that modal has not", () => {
    const folder = mkdtempSync(join(tmpdir(), "kritai-modal-"));
    const file = join(folder, "a/b/c/modal_judge.py");
    spawnSync("mkdir", ["-p", join(folder, "a/b/c")]);
    writeFileSync(file, textOf(MODAL).replace("max_containers=1", "container_limit=1"));
    expect(run(file).stderr).toContain("App.function has no ['container_limit']");
    rmSync(folder, { recursive: true });
  });
});

describe("judge.sh", () => {
  const folder = mkdtempSync(join(tmpdir(), "kritai-judge-"));
  // In vLLM's place, at the port that it is given.
  writeFileSync(
    join(folder, "vllm"),
    `#!/bin/bash\nwhile [[ $1 != --port ]]; do shift; done\nPORT=$2 HOST=127.0.0.1 SCALE=instant MODEL=sim-14b exec "${process.execPath}" ${ROOT}gpu-backend/engines/simulator/main.ts\n`,
  );
  writeFileSync(join(folder, "node"), `#!/bin/bash\nexec "${process.execPath}" "$@"\n`);
  for (const name of ["vllm", "node"]) chmodSync(join(folder, name), 0o755);
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("starts the gateway before the engine, lets in who has the key, and ends both at SIGTERM", async () => {
    const bare = spawnSync("bash", [ROOT + JUDGE, "7b"], { env: { PATH: process.env.PATH }, encoding: "utf8" });
    expect([bare.status, bare.stderr]).toEqual([1, expect.stringContaining("GATEWAY_API_KEY: your key")]);
    const [engine, gateway] = (await freePorts(2)) as [number, number];
    const child = spawn("bash", [ROOT + JUDGE, "14b"], {
      env: {
        ...{
          PATH: `${folder}:${process.env.PATH}`,
          HOME: folder,
          GATEWAY_API_KEY: "k".repeat(16),
          ENGINE_MODEL: "sim-14b",
        },
        ...{ PORT: `${engine}`, GATEWAY_PORT: `${gateway}` },
      },
      stdio: "inherit",
    });
    const ended = once(child, "exit");
    const at = (path: string, headers = {}) =>
      fetch(`http://127.0.0.1:${gateway}${path}`, { headers }).then(
        ({ status }) => status,
        () => 0,
      );
    while ((await at("/ready")) !== 200 && child.exitCode === null) await pause(50);
    expect([await at("/v1/models"), await at("/v1/models", { authorization: `Bearer ${"k".repeat(16)}` })]).toEqual([
      401, 200,
    ]);
    const metrics = await (await fetch(`http://127.0.0.1:${gateway}/metrics`)).text();
    expect(metrics).toMatch(/^kritai_gateway_capacity 64$/m);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await at("/health")).toBe(0);
    await expect(fetch(`http://127.0.0.1:${engine}/health`)).rejects.toThrow();
  });
});
