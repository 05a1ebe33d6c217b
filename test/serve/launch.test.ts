// The launch scripts: run with a stand-in engine, their command lines are held to the flags of the
// pinned releases.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { bareEnv, flagsOf, launch, standIns } from "./launching.ts";
import { FLAGS, type Flags, ROOT, recipesIn, SERVE, textOf } from "./records.ts";

const SIZES = ["1.5b", "7b", "14b"];
const ENGINES = [
  { script: "vllm.sh", record: FLAGS.vllm },
  { script: "sglang.sh", record: FLAGS.sglang },
];
const scripts = [...recipesIn("launch", ".sh"), "deploy/helm/render.sh"];

/** The release's faults of a command line. */
function faultsOf(argv: readonly string[], { flags, version }: Flags): string[] {
  return [...flagsOf(argv)].flatMap(([flag, value]) => {
    const kind = flags[flag];
    if (kind === undefined) return [`${flag} is not a flag of ${version}`];
    if (kind === "switch") return value === null ? [] : [`${flag} takes no value`];
    if (value === null) return [`${flag} needs a value`];
    return kind === "value" || kind.includes(value) ? [] : [`${flag} takes ${kind}, not ${value}`];
  });
}

describe.each(ENGINES)("$script", ({ script, record }) => {
  it.each(SIZES)(
    "starts the %s verifier with flags that the pinned release knows, one GPU or several",
    async (size) => {
      const one = await launch(script, [size]);
      const many = await launch(script, [size], { TENSOR_PARALLEL: "2", DATA_PARALLEL: "4", MODEL_REVISION: "abc" });
      expect([one.status, many.status]).toEqual([0, 0]);
      expect([...faultsOf(one.argv, record), ...faultsOf(many.argv, record)]).toEqual([]);
      expect(one.argv.join(" ")).toContain(`DeepSeek-R1-Distill-Qwen-${size.toUpperCase()}`);
      expect(many.argv).toEqual(expect.arrayContaining(["--revision", "abc", "2", "4"]));
      expect(one.argv).not.toContain("--revision");
    },
  );

  it("takes the model's way of thinking by the engine's name for it, and none where it says none", async () => {
    const parserOf = async (env: Record<string, string>) =>
      flagsOf((await launch(script, ["7b"], env)).argv).get("--reasoning-parser");
    const own = script === "vllm.sh" ? "deepseek_r1" : "deepseek-r1";
    expect(await parserOf({})).toBe(own);
    expect(await parserOf({ REASONING_PARSER: "qwen3" })).toBe("qwen3");
    expect(await parserOf({ REASONING_PARSER: "none" })).toBeUndefined();
    const { argv } = await launch(script, ["7b"], { REASONING_PARSER: "tea-leaves" });
    expect(faultsOf(argv, record)).toHaveLength(1);
  });

  it("names the release it was written for", () => {
    expect(textOf(`gpu-backend/serve/launch/${script}`).split("\n")[1]).toContain(` ${record.version} `);
  });

  it("is found out by these tests when a flag is wrong", async () => {
    const bad = await launch(script, ["7b", "--enable-telepathy", "--reasoning-parser-x", "1"]);
    expect(faultsOf(bad.argv, record)).toHaveLength(2);
    const { argv } = await launch(script, ["7b"]);
    const parser = argv.indexOf("--reasoning-parser") + 1;
    expect(faultsOf(argv.with(parser, "tea-leaves"), record)).toHaveLength(1);
  });

  it("lets further flags follow, after its own", async () => {
    const { argv } = await launch(script, ["7b", "--quantization", "fp8"]);
    expect(argv.slice(-2)).toEqual(["--quantization", "fp8"]);
  });

  it("keeps the engine's key off the command line and gives it to the engine whole", async () => {
    const key = 'it\'s:a # "key"';
    const { argv, env } = await launch(script, ["7b"], { ENGINE_API_KEY: key });
    if (script === "vllm.sh") {
      expect(argv.join("\n")).not.toContain("it's");
      expect(env.VLLM_API_KEY).toBe(key);
    } else {
      // launch() shows the file's text in the place of its path.
      expect(argv.filter((arg) => arg.includes("key"))).toEqual([`api-key: 'it''s:a # "key"'\n`]);
      expect(flagsOf(argv).has("--config")).toBe(true);
    }
    expect((await launch(script, ["7b"])).argv.join(" ")).not.toMatch(/--config|--api-key/);
  });

  it("listens on loopback unless told otherwise, and never logs requests", async () => {
    const flags = flagsOf((await launch(script, ["7b"])).argv);
    expect(flags.get("--host")).toBe("127.0.0.1");
    expect(flags.has("--enable-log-requests") || flags.has("--log-requests")).toBe(false);
    expect(flagsOf((await launch(script, ["7b"], { HOST: "0.0.0.0" })).argv).get("--host")).toBe("0.0.0.0");
  });

  it.each([
    [["70b"], {}, "usage: "],
    [[], {}, "usage: "],
    [["14b"], { TENSOR_PARALLEL: "3" }, "does not divide the 40 attention heads"],
    [["7b"], { CONTEXT_TOKENS: "16384" }, "leaves no room for a prompt"],
    [["7b"], { GENERATIONS_MAX: "many" }, "GENERATIONS_MAX must be an integer of at least 1, not 'many'"],
    [["7b"], { KEEP_ALIVE_S: "0" }, "KEEP_ALIVE_S must be"],
  ])("refuses %j with %j by a sentence, and starts nothing", async (args, env, sentence) => {
    const run = await launch(script, args as string[], env as Record<string, string>);
    expect(run.status).toBe(2);
    expect(run.stderr).toContain(sentence);
    expect(run.argv).toEqual([]);
  });
});

describe("the two engines", () => {
  it("hold what the product promises: prefix cache, thinking budget, keep-alive, drain, order of priorities", async () => {
    const vllm = flagsOf((await launch("vllm.sh", ["7b"])).argv);
    const sglang = flagsOf((await launch("sglang.sh", ["7b"])).argv);
    const answer = JSON.parse(vllm.get("--override-generation-config") ?? "").max_new_tokens;
    expect(answer).toBe(DEFAULT_SPEC.judge.max_tokens);
    expect(Number(vllm.get("--max-model-len"))).toBeGreaterThan(answer);
    expect(vllm.get("--max-model-len")).toBe(sglang.get("--context-length"));
    expect(vllm.has("--enable-prefix-caching") && !sglang.has("--disable-radix-cache")).toBe(true);
    expect(Number(vllm.get("--sse-keep-alive-interval")) * 1000).toBeLessThanOrEqual(LIMITS.heartbeat_ms);
    expect(Number(vllm.get("--shutdown-timeout")) * 1000).toBeGreaterThan(LIMITS.deadline_ms_max);
    expect(Number(vllm.get("--max-num-batched-tokens"))).toBeGreaterThanOrEqual(Number(vllm.get("--max-num-seqs")));
    // vLLM: the lower value first; SGLang needs a flag for that. It takes priorities under fcfs and lof
    // alone.
    expect(vllm.get("--scheduling-policy")).toBe("priority");
    expect(sglang.has("--schedule-low-priority-values-first")).toBe(true);
    expect(["fcfs", "lof"]).toContain(sglang.get("--schedule-policy"));
    // Nothing of a model's own generation_config.json may enter a verdict unseen.
    expect([vllm.get("--generation-config"), sglang.get("--sampling-defaults")]).toEqual(["vllm", "openai"]);
  });
});

describe("replicas.sh", () => {
  it("gives each engine its own GPUs and port, prints the gateway's ENGINE_URL, and passes SIGTERM on", async () => {
    const { folder, remove } = standIns(
      `trap 'echo "drained $PORT"; exit 0' TERM\necho "up $PORT on $CUDA_VISIBLE_DEVICES"\nsleep 600 & wait $!`,
    );
    const child = spawn("bash", [`${SERVE}launch/replicas.sh`, "vllm", "14b", "2"], {
      env: bareEnv(folder, { PORT: "9100", TENSOR_PARALLEL: "2", FIRST_GPU: "4" }),
      detached: true,
    });
    const ended = once(child, "exit") as Promise<[number | null]>;
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (lines.length === 3) child.kill("SIGTERM");
      if (lines.length === 5) break;
    }
    const [status] = await ended;
    // The stand-ins' sleeps outlive them; they are of the child's own process group.
    process.kill(-(child.pid as number), "SIGKILL");
    remove();
    expect(status).toBe(0);
    expect(lines.slice(0, 3).sort()).toEqual([
      "ENGINE_URL=http://127.0.0.1:9100,http://127.0.0.1:9101",
      "up 9100 on 4,5",
      "up 9101 on 6,7",
    ]);
    expect(lines.slice(3).sort()).toEqual(["drained 9100", "drained 9101"]);
  });

  it("ends with an engine's status and says which one it was", async () => {
    const { folder, remove } = standIns(`exit $((PORT == 8001 ? 7 : 0))`);
    const run = spawnSync("bash", [`${SERVE}launch/replicas.sh`, "sglang", "1.5b", "2"], {
      env: bareEnv(folder, {}),
      encoding: "utf8",
    });
    remove();
    expect(run.status).toBe(7);
    expect(run.stderr).toMatch(/engine with pid \d+ ended with status 7/);
  });

  it.each([
    ["vllm", "7b", "0"],
    ["vllm", "7b"],
    ["triton", "7b", "1"],
  ])("refuses %j %j %j", async (...args) => {
    expect(
      (
        await launch(
          "replicas.sh",
          args.filter((arg) => arg !== undefined),
        )
      ).status,
    ).toBe(2);
  });
});

describe("every script", () => {
  it.each(scripts)("%s parses, and a run one stops at its first fault", (path) => {
    expect(spawnSync("bash", ["-n", ROOT + path], { encoding: "utf8" }).stderr).toBe("");
    const text = textOf(path);
    expect(text).toMatch(path.endsWith("sizes.sh") ? /^# \S/ : /^#!\/usr\/bin\/env bash\n# \S/);
    if (!path.endsWith("sizes.sh")) expect(text).toContain("\nset -euo pipefail\n");
    // A variable outside quotes splits at blanks; [[ ]] and (( )) do not split.
    const loose = text
      .split("\n")
      .filter((line) => /(?:^|\s)\$\w+(?:\s|$)/.test(line.replace(/"[^"]*"|\[\[.*?\]\]|\(\(.*?\)\)|#.*/g, "")));
    expect(loose).toEqual([]);
  });

  it.skipIf(spawnSync("shellcheck", ["--version"]).error !== undefined)("passes shellcheck, where there is one", () => {
    const run = spawnSync("shellcheck", ["-x", ...scripts.map((path) => ROOT + path)], { encoding: "utf8" });
    expect(run.stdout).toBe("");
  });
});
