// Holds what services that run programs are asked, how each of their replies is read, and that none
// of their faults becomes a failed test. The stand-ins speak SandboxFusion's and Piston's shapes.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ranOf } from "../../gpu-backend/engines/cpu/examine.ts";
import type { RunResult } from "../../gpu-backend/engines/cpu/sandbox/protocol.ts";
import { createSandbox } from "../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { SANDBOX_APIS, type SandboxShape } from "../../src/core/wire/sandbox-apis.ts";
import { readEnv } from "../../src/env.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { clock } from "./setup.ts";

type Body = Record<string, unknown>;
interface Said {
  status?: number;
  document: unknown;
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A service whose replies the test writes. */
async function serve(reply: (body: Body, index: number) => Said | Promise<Said>) {
  const seen: { method: string; path: string; body: Body }[] = [];
  let running = 0;
  let running_max = 0;
  const server = createServer((request: IncomingMessage, response) => {
    let text = "";
    running_max = Math.max(running_max, ++running);
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", async () => {
      const body = JSON.parse(text || "{}") as Body;
      const { method = "", url: path = "" } = request;
      seen.push({ method, path, body });
      const { status = 200, document } = method === "GET" ? { document: "pong" } : await reply(body, seen.length - 1);
      setImmediate(() => {
        running--;
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, most: () => running_max };
}

/** How a run ended, whatever the service. */
interface End {
  stdout?: string;
  stderr?: string;
  code?: number;
  how?: "timeout" | "compile" | "infra";
}

/** A reply in each service's own shape. */
const SAYS: Record<SandboxShape, (end: End) => unknown> = {
  "sandbox-fusion"({ stdout = "", stderr = "", code = 0, how }) {
    const reply = { message: "", compile_result: null as unknown, executor_pod_name: null, files: {} };
    const ran = { status: "Finished", execution_time: 0.02, return_code: code, stdout, stderr };
    if (how === "infra") return { ...reply, status: "SandboxError", message: "no space left", run_result: null };
    if (how === "compile")
      return { ...reply, status: "Failed", compile_result: { ...ran, return_code: 1 }, run_result: null };
    if (how === "timeout") {
      return { ...reply, status: "Failed", run_result: { ...ran, status: "TimeLimitExceeded", return_code: null } };
    }
    return { ...reply, status: code === 0 ? "Success" : "Failed", run_result: ran };
  },
  piston({ stdout = "", stderr = "", code = 0, how }) {
    const about = { language: "python", version: "3.12.0" };
    const stage = { stdout, stderr, output: stdout + stderr, code, signal: null as string | null, message: null };
    const status = code === 0 ? null : "RE";
    if (how === "infra") return { ...about, run: { ...stage, code: null, status: "XX" } };
    if (how === "compile") return { ...about, compile: { ...stage, code: 1 }, run: { ...stage, status: null } };
    if (how === "timeout") return { ...about, run: { ...stage, code: null, signal: "SIGKILL", status: "TO" } };
    return { ...about, run: { ...stage, status, cpu_time: 9, wall_time: 20, memory: 9_000_000 } };
  },
};

const codeOf = (shape: SandboxShape, body: Body): string =>
  shape === "piston" ? ((body.files as { content: string }[])[0]?.content ?? "") : (body.code as string);

/** Ends programs as their one line says: `double` writes twice what it reads. */
function endOf(code: string, stdin: string): End {
  const [line = ""] = code.split("\n");
  if (line === "double") return { stdout: `${2 * Number(stdin)}  \r\n\n` };
  if (line === "crash") return { code: 1, stderr: "ZeroDivisionError" };
  if (line === "memory") return { code: 1, stderr: "Traceback\nMemoryError" };
  if (line === "timeout" || line === "compile" || line === "infra") return { how: line };
  return { stdout: line };
}

const verifierOf = (url: string, shape: SandboxShape, more: Body = {}) => {
  const { config, faults } = readEnv({ SANDBOX_URL: url, SANDBOX_SHAPE: shape, ...more });
  expect(faults).toEqual([]);
  const [first, ...others] = config.backends;
  if (first === undefined) throw new Error("no backend");
  return createVerifier([first, ...others], { hedging: false }, clock);
};

const CASES = [
  { stdin: "2", stdout: "4\n" },
  { stdin: "5", stdout: "10", weight: 3 },
];
const request = (programs: readonly string[], settings: Body = {}, group: Body = {}) => ({
  deadline_ms: 20_000,
  spec: { candidate: { extract: "whole" }, signals: { tests: { kind: "tests", source: "sandbox", ...settings } } },
  groups: [
    {
      prompt: "Double it.",
      language: "Python3",
      test_cases: CASES,
      ...group,
      rollouts: programs.map((text) => ({ text })),
    },
  ],
});

async function ran(url: string, shape: SandboxShape, body: unknown) {
  const parts = setUp({ verifier: verifierOf(url, shape), clock });
  const response = await parts.post("/v1/rewards", body);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const rollouts = reply.groups[0]?.rollouts ?? [];
  return { reply, rollouts, told: rollouts.map(({ reward, error }) => reward ?? error), ...parts };
}

const SHAPES = Object.keys(SANDBOX_APIS) as SandboxShape[];
describe.each(SHAPES)("%s", (shape) => {
  const service = (end = endOf) =>
    serve((body) => ({ document: SAYS[shape](end(codeOf(shape, body), body.stdin as string)) }));

  it("runs every program on every case, and what it failed at is null and never a failed test", async () => {
    const { url } = await service();
    const programs = ["double", "4", "crash", "timeout", "compile", "memory", "infra"];
    const { told, rollouts, runLog } = await ran(url, shape, request(programs));
    // By weight: the first case counts 1, the second 3.
    expect(told).toEqual([1, 1 / 4, 0, 0, 0, 0, "sandbox_failed"]);
    expect(rollouts.map(({ details }) => details?.tests)).toEqual([
      { pass: 2 },
      { pass: 1, fail: 1 },
      { runtime: 2 },
      { timeout: 2 },
      { compile: 2 },
      { memory: 2 },
      { infra: 2 },
    ]);
    const verdicts = runLog.entries[0]?.groups[0]?.verdicts ?? [];
    expect(verdicts.filter(({ order }) => order[0] === 1).map(({ sample, verdict }) => [sample, verdict])).toEqual([
      [0, { kind: "label", label: "pass" }],
      [1, { kind: "label", label: "fail" }],
    ]);
  });

  it("holds a program against an assert that it never meets, and cannot end for it", async () => {
    const really = await createSandbox({ workers: 1, javascript: false });
    ends.push(() => really.close());
    const { url, seen, most } = await serve(async (body) => {
      const plan = { stdin: body.stdin as string, cells: [], as_script: true };
      const [ran] = await really.runPlans({ language: "python", source: codeOf(shape, body) }, [plan]);
      const { end, exit_code, stdout, stderr } = ranOf(ran as RunResult);
      return { document: SAYS[shape]({ stdout, stderr, code: exit_code, ...(end === "timeout" && { how: end }) }) };
    });
    const programs = [
      "def f(x): return x + 1",
      "def f(x): return x",
      "class E(int):\n    __eq__ = lambda *a: True\n    __hash__ = None\ndef f(x): return E(0)",
      "import sys\nsys.exit(0)",
      "import os\ndef f(x): os._exit(0x4b524954)",
      "def f(x): return 1 / 0",
      "import asyncio\ndef f(x): return asyncio.run(g(x))\nasync def g(x): return x + 1",
    ];
    const cases = { test_cases: [{ assert: "assert f(1) == 2" }, { assert: "assert f(2) == 3 or 98765 == 0" }] };
    const { told, rollouts } = await ran(url, shape, request(programs, {}, cases));
    expect(told).toEqual([1, 0, 0, 0, 0, 0, 0]);
    expect(rollouts.map(({ details }) => details?.tests)).toEqual([
      { pass: 2 },
      { fail: 2 },
      { fail: 2 },
      { fail: 2 },
      { runtime: 2 },
      { runtime: 2 },
      { runtime: 2 },
    ]);
    // What is expected goes where no program is.
    for (const { body } of seen) {
      const code = codeOf(shape, body);
      if (programs.some((program) => code.includes(JSON.stringify(program).slice(1, -1)))) {
        expect(code + body.stdin).not.toContain("98765");
      }
    }
    expect(most()).toBeLessThanOrEqual(LIMITS.headers_waiting_max);
  });

  it("runs a sample of many cases, the same for every program and at every time", async () => {
    const test_cases = Array.from({ length: 100 }, (_, i) => ({ stdin: `${i}`, stdout: `${2 * i}` }));
    const inputs = async (program: string) => {
      const { url, seen } = await service();
      const { rollouts } = await ran(url, shape, request([program], { cases_max: 3 }, { test_cases }));
      expect(rollouts[0]?.details?.tests).toEqual({ [program === "double" ? "pass" : "fail"]: 3 });
      return seen.map(({ body }) => body.stdin as string).sort();
    };
    const all = [await inputs("double"), await inputs("x"), await inputs("double")];
    expect(new Set(all[0]).size).toBe(3);
    expect(all).toEqual([all[0], all[0], all[0]]);
  });

  it("takes what a program writes without end for its failure", async () => {
    const endless = { stdout: "\u0001".repeat(LIMITS.reply_line_bytes / 4) };
    const { url } = await serve(() => ({ document: SAYS[shape](endless) }));
    expect((await ran(url, shape, request(["double"]))).told).toEqual([0]);
  });

  it("is asked again after a failure of its own", async () => {
    const { url, seen } = await serve((body, index) =>
      index === 0
        ? { status: 502, document: {} }
        : { document: SAYS[shape](endOf(codeOf(shape, body), body.stdin as string)) },
    );
    expect((await ran(url, shape, request(["double"]))).told).toEqual([1]);
    expect(seen).toHaveLength(CASES.length + 1);
  });

  it("is never asked for more at a time than wait for headers in a Worker, and once for equal programs", async () => {
    const { url, seen, most } = await service();
    const programs = Array.from({ length: 30 }, (_, i) => `double\n# ${i % 20}`);
    const { told } = await ran(url, shape, request(programs));
    expect(told).toEqual(programs.map(() => 1));
    expect(seen).toHaveLength(20 * CASES.length);
    expect(most()).toBeLessThanOrEqual(LIMITS.headers_waiting_max);
  });

  it("is ready while it answers, without running anything", async () => {
    const { url, seen } = await service();
    expect(await verifierOf(url, shape).check()).toMatchObject({ ok: true });
    expect(seen).toMatchObject([{ method: "GET", path: SANDBOX_APIS[shape].health }]);
    expect(verifierOf(url, shape).backends?.()).toMatchObject([{ name: "sandbox" }]);
    for (const end of ends.splice(0)) await end();
    expect(await verifierOf(url, shape).check()).toMatchObject({ ok: false, detail: "not reachable" });
  });
});

it("each service is asked in its own words", async () => {
  const run = { code: "x", language: "javascript", stdin: "in", timeout_ms: 2_500 };
  expect(SANDBOX_APIS["sandbox-fusion"].body(run)).toEqual({
    ...{ code: "x", language: "nodejs", stdin: "in", compile_timeout: 2.5, run_timeout: 2.5 },
  });
  expect(SANDBOX_APIS.piston.body({ ...run, language: "cpp" })).toEqual({
    ...{ language: "c++", version: "*", files: [{ content: "x" }], stdin: "in" },
    ...{ compile_timeout: 2_500, run_timeout: 2_500 },
  });
});

describe("a request is refused before anything runs", () => {
  const refused = async (body: unknown, verifier = verifierOf("http://127.0.0.1:9", "piston")) => {
    const { code, errors } = await problemOf(await setUp({ verifier }).post("/v1/rewards", body));
    return `${code} ${errors?.[0]?.path}`;
  };

  it("where a fact is missing or does not fit, by field", async () => {
    expect(await refused(request(["x"], {}, { test_cases: undefined }))).toBe("facts_required groups[0].test_cases");
    expect(await refused(request(["x"], {}, { language: undefined }))).toBe("facts_required groups[0].language");
    const assert = { test_cases: [{ stdout: "" }, { assert: "x" }], language: "rust" };
    expect(await refused(request(["x"], {}, assert))).toBe("invalid_request groups[0].test_cases[1].assert");
    const both = { test_cases: [{ stdout: "", assert: "x" }] };
    expect(await refused(request(["x"], {}, both))).toBe("invalid_request groups[0].test_cases[0].stdout");
    expect(await refused(request(["x"], { source: "sent", timeout_ms: 500 }))).toBe(
      "invalid_request spec.signals.tests.timeout_ms",
    );
  });

  it("where the programs' runs are more than a Worker can ask for", async () => {
    const group = request(
      Array.from({ length: 64 }, (_, i) => `${i}`),
      {},
      { test_cases: new Array(64).fill(CASES[0]) },
    );
    const { spec, groups } = group;
    expect(
      await refused({ spec, groups: [...groups, ...groups, ...groups].map((one, i) => ({ ...one, prompt: `${i}` })) }),
    ).toBe("too_many_generations groups");
  });

  it("where the deployment has no sandbox", async () => {
    const { post } = setUp();
    const problem = await problemOf(await post("/v1/rewards", request(["x"])));
    expect(problem).toMatchObject({ code: "not_configured", detail: expect.stringContaining("SANDBOX_URL") });
    expect(problem.errors?.[0]?.path).toBe("spec.signals.tests");
  });
});

it("SANDBOX_SHAPE and SANDBOX_URL are refused by name, never with their value", () => {
  const { faults } = readEnv({ SANDBOX_URL: "ftp://secret", SANDBOX_SHAPE: "judge0" });
  expect(faults.map(({ path }) => path)).toEqual(["SANDBOX_URL", "SANDBOX_SHAPE"]);
  expect(JSON.stringify(faults)).not.toContain("secret");
});
