// The embedded sandbox in SandboxFusion's shape: how runs end, what it cannot run, and programs of
// both languages rewarded through the whole edge.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Judge } from "../../../gpu-backend/engines/cpu/judge.ts";
import type { Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { type CpuVerifier, createVerifierApp, startCpuVerifier } from "../../../gpu-backend/engines/cpu/server.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { readEnv } from "../../../src/env.ts";
import { createVerifier } from "../../../src/verifier/create.ts";
import { setUp } from "../../api/routes/harness.ts";
import { clock } from "../../verifier/setup.ts";

let sandbox: CpuVerifier;
beforeAll(async () => {
  sandbox = await startCpuVerifier({ workers: 1 });
});
afterAll(() => sandbox.close());

const run = (body: object) =>
  fetch(`${sandbox.url}/run_code`, { method: "POST", body: JSON.stringify({ language: "python", ...body }) });

test("a run says what was written and how it ended, as SandboxFusion does", async () => {
  const ended = async (body: object) => (await run(body)).json();
  expect(await ended({ code: "print(int(input()) + 1)", stdin: "41" })).toEqual({
    ...{ status: "Success", message: "", compile_result: null, files: {} },
    run_result: {
      ...{ status: "Finished", execution_time: expect.any(Number), return_code: 0, stdout: "42\n" },
      stderr: expect.any(String),
    },
  });
  expect(await ended({ code: "assert 1 == 2" })).toMatchObject({
    ...{ status: "Failed" },
    run_result: { status: "Finished", return_code: 1, stderr: expect.stringContaining("AssertionError") },
  });
  expect(await ended({ code: "while True: pass", run_timeout: 0.5 })).toMatchObject({
    ...{ status: "Failed", run_result: { status: "TimeLimitExceeded", return_code: null } },
  });
  expect(await ended({ code: "console.log(6 * 7)", language: "nodejs" })).toMatchObject({
    ...{ status: "Success", run_result: { stdout: "42\n", return_code: 0 } },
  });
});

test("a language that is not here is refused, and a sandbox that fails says nothing of the program", async () => {
  expect((await run({ code: "fn main() {}", language: "rust" })).status).toBe(422);
  expect((await run({ code: 1 })).status).toBe(422);
  const replyTo = async (status: "unavailable" | "unsupported") => {
    const result = { status, stdout: "", cells: [], stderr_tail: "", error: "no such thing here", wall_ms: 1 };
    const failing = { workers: sandbox, runPlans: async () => [result] } as unknown as Sandbox;
    const app = createVerifierApp({} as Judge, failing);
    const body = JSON.stringify({ code: "", language: "python" });
    return (await app.request("/run_code", { method: "POST", body })).json();
  };
  expect(await replyTo("unavailable")).toMatchObject({
    ...{ status: "SandboxError", message: "no such thing here", run_result: null },
  });
  // The program chooses what it needs.
  expect(await replyTo("unsupported")).toMatchObject({
    ...{ status: "Failed", run_result: { return_code: 1, stderr: "no such thing here" } },
  });
});

test("more runs than it takes at one time are refused with 429, until others have ended", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const result = { status: "ok", stdout: "", cells: [], stderr_tail: "", error: null, wall_ms: 1 };
  const runPlans = () => held.then(() => [result]);
  const app = createVerifierApp({} as Judge, { workers: sandbox, runPlans } as unknown as Sandbox);
  const body = JSON.stringify({ code: "", language: "python" });
  const ask = () => app.request("/run_code", { method: "POST", body });
  const asked = Array.from({ length: 2_049 }, ask);
  expect((await Promise.race(asked)).status).toBe(429);
  release();
  const replies = (await Promise.all(asked)).map(({ status }) => status);
  expect(replies.filter((status) => status === 200)).toHaveLength(2_048);
  expect((await ask()).status).toBe(200);
});

test("a key finds places however many requests another key has waiting, which is told early", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const result = { status: "ok", stdout: "", cells: [], stderr_tail: "", error: null, wall_ms: 1 };
  const refusedMs = (party: string) => (party === "slow" ? 3_500 : 0);
  const asSandbox = { workers: sandbox, runPlans: () => held.then(() => [result]), refusedMs } as unknown as Sandbox;
  const app = createVerifierApp({} as Judge, asSandbox);
  const body = JSON.stringify({ code: "", language: "python" });
  const ask = async (party: string) =>
    app.request("/run_code", { method: "POST", body, headers: { "x-kritai-party": party } });
  const flood = Array.from({ length: 1_500 }, () => ask("a"));
  const others = ["b", "c", "d"].flatMap((party) => Array.from({ length: 20 }, () => ask(party)));
  const slow = await ask("slow");
  expect([slow.status, slow.headers.get("retry-after")]).toEqual([429, "4"]);
  release();
  const count = async (asked: Promise<Response>[]) =>
    (await Promise.all(asked)).filter(({ status }) => status === 200).length;
  expect([await count(flood), await count(others)]).toEqual([1_024, 60]);
});

test("programs in Python and JavaScript are rewarded by really running them", async () => {
  const { config } = readEnv({ SANDBOX_URL: sandbox.url });
  const verifier = createVerifier(config.backends as never, { hedging: false }, clock);
  const { post } = setUp({ verifier, clock });
  const fenced = (language: string, code: string) => ({ text: `Here:\n\`\`\`${language}\n${code}\n\`\`\`` });
  const stdio = [
    { stdin: "2\n", stdout: "4" },
    { stdin: "10\n", stdout: "20" },
  ];
  const body = {
    spec: { signals: { tests: { kind: "tests", source: "sandbox", score: "rate" } } },
    groups: [
      {
        ...{ prompt: "Double it.", language: "python", test_cases: stdio },
        rollouts: [
          fenced("python", "print(2 * int(input()))"),
          fenced("python", "print(4)"),
          fenced("python", "print(1 / 0)"),
          { text: "no program" },
        ],
      },
      {
        ...{ prompt: "Double it.", language: "javascript" },
        test_cases: [...stdio, { assert: "if (double(3) !== 6) throw new Error('double');" }],
        rollouts: [
          fenced(
            "javascript",
            "function double(x) { return 2 * x; }\nconst line = require('fs').readFileSync(0, 'utf8').trim();\nif (line !== '') console.log(double(Number(line)));",
          ),
          fenced("javascript", "function double(x) { return 6; }\nconsole.log(4);"),
        ],
      },
      {
        ...{ prompt: "Write f.", language: "python", test_cases: [{ assert: "assert f(2) == 4" }] },
        rollouts: [
          fenced("python", "def f(x): return x * x"),
          fenced("python", "def f(x): return x"),
          fenced("python", "import sys\nsys.exit(0)"),
        ],
      },
    ],
  };
  const reply = (await (await post("/v1/rewards", body)).json()) as RewardsReply;
  expect(reply.rewards).toEqual([[1, 0.5, 0, 0], [1, 2 / 3, 0].slice(0, 2), [1, 0, 0]]);
});
