// Holds whose word decides that texts are stored: the spec's, else the deployment's; and that
// neither changes what a spec is called.
import { expect, test } from "vitest";
import { setUp } from "../api/routes/harness.ts";

const groups = [{ prompt: "p", rollouts: [{ text: "one" }, { text: "three" }] }];

const CASES: [deployment: boolean | undefined, spec: boolean | undefined, stored: boolean][] = [
  [undefined, undefined, false],
  [undefined, true, true],
  [false, true, true],
  [false, undefined, false],
  [true, undefined, true],
  [true, false, false],
  [true, true, true],
];

test.each(CASES)("a deployment that says %s and a spec that says %s: stored is %s", async (log_texts, own, stored) => {
  const { post, runLog } = setUp({ log_texts });
  const spec = { candidate: { extract: "whole" }, ...(own !== undefined && { log_texts: own }) };
  const reply = (await (await post("/v1/rewards", { groups, spec })).json()) as { spec_hash: string };
  const [entry] = runLog.entries;
  expect(entry?.groups[0]?.prompt).toBe(stored ? "p" : null);
  expect(JSON.parse(entry?.spec ?? "{}")).toMatchObject({ log_texts: stored });
  const plain = await setUp().post("/v1/rewards", { groups, spec: { candidate: { extract: "whole" } } });
  expect(reply.spec_hash).toBe(((await plain.json()) as { spec_hash: string }).spec_hash);
});

test("specs of every form and name are stored with the texts where the deployment says so", async () => {
  const { post, runLog } = setUp({ log_texts: true });
  await post("/v1/rewards", { groups });
  await post("/v1/rewards", { groups, spec: "default" });
  await post("/v1/rewards", { groups, spec: { signals: { base: { kind: "format" } } } });
  await post("/v2/rerank", { model: "default", query: "q", documents: ["one", "three"] });
  expect(runLog.entries.map(({ groups: [group] }) => group?.prompt)).toEqual(["p", "p", "p", "q"]);
});

test("a spec is shown with the deployment's word where it says nothing", async () => {
  const { post } = setUp({ log_texts: true });
  const checked = (await (await post("/v1/specs/check", {})).json()) as { spec: { log_texts: boolean } };
  expect(checked.spec.log_texts).toBe(true);
});
