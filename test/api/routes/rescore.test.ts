// The guarantees of scoring a run again over HTTP: whole streams, refusals before them, whose run it is.
import { createHash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { readEnv } from "../../../src/env.ts";
import { openapi } from "../../harness/openapi.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

const digest = (key: string) => createHash("sha256").update(key).digest("hex");
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const { config } = readEnv({ API_KEYS: `a:${digest("a")},b:${digest("b")},all:${digest("all")}:logs:all` });

async function ran(steps = 3) {
  const world = setUp({ keys: config.API_KEYS ?? [] });
  for (let step = 0; step < steps; step++) {
    await world.post("/v1/rewards", { run_id: "r", step, ...twoRollouts() }, bearer("a"));
  }
  const rescore = (body: unknown, key = "a", query = "") => world.post(`/v1/runs/r/rescore${query}`, body, bearer(key));
  return { ...world, rescore };
}
const linesOf = async (response: Response) =>
  (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("every group comes once, in the log's order, then what they come to, and nobody is asked", async () => {
  const { rescore, verifier } = await ran();
  const asked = verifier.jobs.length;
  const response = await rescore({ spec: { reward: "net_win_rate" }, from_step: 1 });
  expect(response.headers.get("content-type")).toContain("application/x-ndjson");
  const lines = await linesOf(response);
  expect(lines.map(({ type, step }) => [type, step])).toEqual([
    ["group", 1],
    ["group", 2],
    ["end", undefined],
  ]);
  expect(lines[0]).toMatchObject({ rewards: [1, -1], errors: [null, null], old: [1, 0], columns: { base: [1, -1] } });
  expect(lines[2]).toMatchObject({ groups: 2, complete: 2, best_changed_share: 0, rank_correlation: { mean: 1 } });
  expect(verifier.jobs.length).toBe(asked);
});

test("every line is what the document says", async () => {
  const { rescore, runLog } = await ran();
  const validator = new Ajv2020({ strict: false, validateFormats: false });
  const validate = validator
    .addSchema(openapi, "document")
    .compile({ $ref: "document#/components/schemas/RescoreLine" });
  const told = await linesOf(await rescore({ spec: "default" }));
  const groups = runLog.loggedGroups.bind(runLog);
  runLog.loggedGroups = async function* (...of) {
    for await (const group of groups(...of)) {
      yield group;
      throw new ApiError("store_unavailable", "The run log's database did not answer as it should.");
    }
  };
  const cut = await linesOf(await rescore({ spec: "default" }));
  expect(cut.map(({ type }) => type)).toEqual(["group", "error"]);
  expect(cut[1]).toMatchObject({ code: "store_unavailable", groups: 1 });
  for (const line of [...told, ...cut]) expect(validate(line), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ type: "end" })).toBe(false);
});

test("what needs a judge is refused before the stream, naming the signal", async () => {
  const { rescore } = await ran(1);
  const problem = await problemOf(await rescore({ spec: { judge: { samples: 3 } } }));
  expect(problem).toMatchObject({ status: 422, code: "needs_judging", retryable: false });
  expect(problem.errors).toMatchObject([{ path: "spec.judge" }]);
});

test("a run is scored again by its owner, or who reads all; to others it is not there", async () => {
  const { rescore } = await ran(1);
  const spec = { spec: "default" };
  expect((await problemOf(await rescore(spec, "b"))).status).toBe(404);
  expect((await problemOf(await rescore(spec, "b", "?owner=a"))).status).toBe(404);
  expect((await rescore(spec, "all", "?owner=a")).status).toBe(200);
  expect((await rescore(spec, "all")).status).toBe(200);
});

test("every rollout's length is looked for only where the spec needs lengths", async () => {
  const { rescore, runLog } = await ran(1);
  runLog.lacksLengths = async () => {
    throw new ApiError("store_unavailable", "The run log's database did not answer as it should.");
  };
  expect((await rescore({ spec: { reward: "net_win_rate" } })).status).toBe(200);
  const overlong = { max_tokens: 100, cache_tokens: 10 };
  expect((await rescore({ spec: { overlong } })).status).toBe(503);
});

test("a request that is none is refused by its field", async () => {
  const { rescore } = await ran(1);
  const pathOf = async (body: unknown) => (await problemOf(await rescore(body))).errors?.[0]?.path;
  expect(await pathOf({})).toBe("spec");
  expect(await pathOf({ spec: "default", step: 3 })).toBe("step");
  expect(await pathOf({ spec: "default", from_step: -1 })).toBe("from_step");
  expect(await pathOf({ spec: "not-stored" })).toBe("spec");
  expect(await pathOf({ spec: { signals: { base: { kind: "tournament" } }, reward: "base + nothing" } })).toBe(
    "spec.reward",
  );
});

test("a client that leaves ends the reading", async () => {
  const { rescore, runLog } = await ran(3);
  let ended = false;
  const groups = runLog.loggedGroups.bind(runLog);
  runLog.loggedGroups = async function* (...of) {
    try {
      yield* groups(...of);
    } finally {
      ended = true;
    }
  };
  const reader = ((await rescore({ spec: "default" })).body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  expect(ended).toBe(false);
  await reader.cancel();
  expect(ended).toBe(true);
});
