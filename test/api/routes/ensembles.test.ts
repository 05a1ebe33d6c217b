// Owns the guarantees of fitting a run's judges over HTTP: out of its log, for its owner, as
// documented.
import { createHash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import openapi from "../../../public/openapi.json" with { type: "json" };
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { readEnv } from "../../../src/env.ts";
import type { Script } from "../../harness/fakes.ts";
import { fenced, problemOf, setUp } from "./harness.ts";

const digest = (key: string) => createHash("sha256").update(key).digest("hex");
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keys = readEnv({ API_KEYS: `a:${digest("a")},b:${digest("b")}` }).config.API_KEYS ?? [];

/** Four judges in words of their own, right in another share of cases each. */
const RATES: Record<string, number> = { exact: 95, kind: 75, vague: 65, blurred: 60 };
const says: Script = ([text = ""], { job }) => {
  const name = Object.keys(RATES).find((one) => job.slots?.principle === one) as string;
  const right = text.includes("right");
  const honest = hashText(name, text)[0] % 100 < (RATES[name] as number);
  return right === honest ? "yes" : "no";
};

const signals = Object.fromEntries(
  Object.keys(RATES).map((name) => [name, { kind: "grade", judge: { preset: "yes-no", principle: name } }]),
);

async function ran() {
  const world = setUp({ keys, script: says });
  for (let step = 0; step < 6; step++) {
    const groups = Array.from({ length: 10 }, (_, g) => ({
      prompt: `p${g}`,
      rollouts: Array.from({ length: 8 }, (_, r) => ({
        text: fenced(`${r % 2 ? "right" : "wrong"} ${step} ${g} ${r}`),
      })),
    }));
    const spec = { signals: { ...signals, format: { kind: "format" } } };
    const reply = await world.post("/v1/rewards", { run_id: "r", step, spec, groups }, bearer("a"));
    expect(reply.status).toBe(200);
  }
  const weigh = (body: unknown, key = "a") => world.post("/v1/ensembles/fit", body, bearer(key));
  return { ...world, weigh };
}

test("weights come of the run's judges, an expression that a spec takes, and no verifier is asked", async () => {
  const { weigh, post, verifier } = await ran();
  const asked = verifier.jobs.length;
  const reply = (await (await weigh({ run_id: "r" })).json()) as Record<string, unknown>;
  const validator = new Ajv2020({ strict: false, validateFormats: false });
  const validate = validator
    .addSchema(openapi, "document")
    .compile({ $ref: "document#/components/schemas/EnsembleReply" });
  expect(validate(reply), JSON.stringify(validate.errors)).toBe(true);
  expect(reply).toMatchObject({ run_id: "r", owner: "a", groups: 60, rollouts: 480 });
  expect(Object.keys(reply.judges as object).sort()).toEqual(Object.keys(RATES).sort());
  const judges = reply.judges as Record<string, { weight: number }>;
  expect(judges.exact?.weight).toBeGreaterThan(0.5);
  expect(verifier.jobs.length).toBe(asked);
  for (const reward of [reply.expression, reply.weighted]) {
    const checked = await post("/v1/specs/check", { signals, reward }, bearer("a"));
    expect(await checked.json()).toMatchObject({ reward_range: [0, expect.closeTo(1, 3)] });
  }
});

test("steps and signals can be named; those that the run does not have are refused by name", async () => {
  const { weigh } = await ran();
  const some = await (await weigh({ run_id: "r", signals: ["exact", "vague"], from_step: 1, to_step: 2 })).json();
  expect(some).toMatchObject({ rollouts: 160, better: false, expression: "mean(exact, vague)" });
  for (const signals of [
    ["exact", "none"],
    ["exact", "exact"],
  ]) {
    const problem = await problemOf(await weigh({ run_id: "r", signals }));
    expect(problem).toMatchObject({ code: "invalid_request", errors: [{ path: "signals" }] });
  }
  expect((await problemOf(await weigh({ run_id: "r", signals: ["exact", "if"] }))).errors?.[0]?.path).toMatch(
    /^signals/,
  );
});

test("a run of more specs than are read is refused, not fitted by a part of them", async () => {
  const { weigh, runLog } = await ran();
  const [use] = await runLog.specsUsed({ run_id: "r", owner: "a" }, { from: null, to: null });
  runLog.specsUsed = async () => Array(LIMITS.rescore_specs_max + 1).fill(use);
  expect(await problemOf(await weigh({ run_id: "r" }))).toMatchObject({
    code: "invalid_request",
    errors: [{ path: "from_step", message: expect.stringContaining("rescore_specs_max") }],
  });
});

test("another key's run is not there", async () => {
  const { weigh } = await ran();
  expect((await problemOf(await weigh({ run_id: "r" }, "b"))).status).toBe(404);
});
