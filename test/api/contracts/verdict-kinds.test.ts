// Contracts over judges whose verdicts are neither a letter nor scores, but a preference or a label: their
// choice is a choice, and is reported.
import { expect, test } from "vitest";
import { CompareReplySchema } from "../../../src/api/tools/nemo-gym-compare.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore, fakeVerifier, type Script } from "../../harness/fakes.ts";
import { failing, faultOf, replyOf, setUp, TEXTS } from "./setup.ts";

const spec = (signal: object) => SpecSchema.parse({ candidate: { extract: "whole" }, signals: { quality: signal } });
const STORED = {
  preference: spec({ kind: "tournament", judge: { preset: "arena-5" } }),
  label: spec({ kind: "grade", judge: { preset: "yes-no" } }),
};
/** The longer one is better, and one alone is right that is longest. */
const script: Script = ([a = "", b]) => {
  if (b === undefined) return a === "three of them" ? "yes" : "no";
  return a.length > b.length ? "[[A>>B]]" : "[[B>A]]";
};
const world = (says = script) => setUp({ verifier: fakeVerifier(says), specs: fakeSpecStore(STORED) });
const gym = (texts: readonly string[]) => ({
  conversation_history: [{ role: "user", content: "q" }],
  response_objs: texts.map((text) => ({ output: [{ type: "message", role: "assistant", content: text }] })),
});

test.each(["preference", "label"])("rerank ranks by a judge's %s, and refuses where there is none", async (model) => {
  const response = await world().post("/v1/rerank", { model, query: "q", documents: TEXTS });
  expect(response.status).toBe(200);
  expect((await response.json()).results[0].index).toBe(1);
  const mute = world(() => "I like both.");
  const fault = await faultOf(await mute.post("/v1/rerank", { model, query: "q", documents: TEXTS }), 422);
  expect(fault.detail).toContain("texts stay unranked");
});

test("rerank breaks ties by preferences as by letters: who won over the others of a score comes before them", async () => {
  // Two win two comparisons each, and two one each.
  const wins = ["a>b", "a>d", "b>c", "b>d", "c>a", "d>c"];
  const { post } = world(([a, b]) => (wins.includes(`${a}>${b}`) ? "[[A>B]]" : "[[B>A]]"));
  for (const documents of [
    ["a", "b", "c", "d"],
    ["d", "c", "b", "a"],
  ]) {
    const reply = await (await post("/v1/rerank", { model: "preference", query: "q", documents })).json();
    expect(reply.results.map(({ index }: { index: number }) => documents[index])).toEqual(["a", "b", "d", "c"]);
  }
});

test("compare names the winner that a preference has, and a parse rate of 0 where no answer came", async () => {
  const reply = await replyOf(CompareReplySchema, await world().post("/nemo-gym/compare?spec=preference", gym(TEXTS)));
  for (const { response_i, response_j, winner } of reply.comparison_results) {
    const [a, b] = [TEXTS[response_i] as string, TEXTS[response_j] as string];
    expect(winner).toBe(a.length > b.length ? "response_i" : "response_j");
  }
  const down = world(failing("verifier_unavailable"));
  const path = "/nemo-gym/compare?spec=preference&on_failure=0";
  expect((await replyOf(CompareReplySchema, await down.post(path, gym(TEXTS)))).metrics).toEqual({ parse_rate: 0 });
  expect((await replyOf(CompareReplySchema, await down.post(path, gym(["a", "a"])))).metrics).toEqual({
    parse_rate: 1,
  });
});
