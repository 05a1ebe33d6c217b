// Holds vectors of programs against the embedded sandbox through the edge's own adapter: what a
// program guards as its main part, and fractions in asserts.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CpuVerifier, startCpuVerifier } from "../../../gpu-backend/engines/cpu/server.ts";
import type { TestCase } from "../../../src/core/signals/test-cases.ts";
import { runOf } from "../../../src/core/signals/tests-run.ts";
import { SANDBOX_APIS } from "../../../src/core/wire/sandbox-apis.ts";
import { TestMemory } from "../../../src/core/wire/test-memory.ts";
import { runTest, type SandboxEndpoint } from "../../../src/verifier/sandbox/exchange.ts";
import { clock } from "../../verifier/setup.ts";

interface Vector {
  language?: string;
  program: string;
  stdin?: string;
  stdout?: string;
  assert?: string;
  tolerance?: number;
  /** `unknown`: nothing is said of the program. */
  status: string;
}

let sandbox: CpuVerifier;
let endpoint: SandboxEndpoint;
beforeAll(async () => {
  sandbox = await startCpuVerifier({ workers: 2 });
  const api = SANDBOX_APIS["sandbox-fusion"];
  const headers = { "content-type": "application/json" };
  const [url, health_url] = [sandbox.url + api.path, sandbox.url + api.health];
  endpoint = { url, health_url, api, headers, fetch, clock, key_variable: "SANDBOX_API_KEY", memory: new TestMemory() };
});
afterAll(() => sandbox.close());

async function statusOf({ language = "python", program, ...held }: Vector): Promise<string> {
  const runs = { cases: [held], language, timeout_ms: 3_000 };
  const job = { runs };
  const { generation } = await runTest(endpoint, { program, sample: 0, job }, new AbortController().signal);
  return generation.error === null ? (generation.answer ?? "") : "unknown";
}

const vectorsOf = <T>(name: string) =>
  readFileSync(new URL(`../../vectors/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

test("calls of functions by rows of datasets", async () => {
  const vectors = vectorsOf<Pick<Vector, "language" | "program" | "status"> & { case: TestCase }>("function_calls");
  const found = await Promise.all(
    vectors.map(async ({ language = "python", case: held, ...vector }) => {
      const run = runOf(held, language, undefined) as Pick<Vector, "assert">;
      return { ...vector, held, got: await statusOf({ ...vector, ...run, language }) };
    }),
  );
  expect(found.filter(({ status, got }) => status !== got)).toEqual([]);
});

test.each(["main_guards", "float_asserts"])("%s", async (name) => {
  const vectors = vectorsOf<Vector>(name);
  const found = await Promise.all(vectors.map(async (vector) => ({ ...vector, got: await statusOf(vector) })));
  expect(found.filter(({ status, got }) => status !== got)).toEqual([]);
});
