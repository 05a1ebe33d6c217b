// A judge asked first, over HTTP through an engine itself and through the gateway: two models in one
// tournament, each verdict under its own; and the specs that the routes refuse.
import { describe, expect, test } from "vitest";
import { fakeTemplateStore } from "../../harness/fakes.ts";
import { answer, status } from "../../harness/mock-behaviours.ts";
import type { MockRequest } from "../../harness/mock-verifier.ts";
import { problemOf, setUp } from "./harness.ts";
import {
  asked,
  clock,
  engineAnswers,
  groupOf,
  judged,
  letters,
  odds,
  shownIn,
  streamed,
  TEXTS,
  textOf,
  verifiers,
} from "./soft-votes-setup.ts";

/** The small model's letter by its odds, the large one's in a box, for the worse of the two. */
function twoModels(request: MockRequest) {
  const shown = shownIn(textOf(request));
  if (request.body.model === "small") return streamed([{ text: "A", top: letters(odds(shown)) }], false);
  return answer(`\\boxed{${(shown[0] as number) < (shown[1] as number) ? "A" : "B"}}`);
}

const FIRST = { preset: "letter-select", model: "small" };
const OWN = { preset: "text-select", model: "large", vote: "majority" };

describe.each(["openai", "verify"] as const)("judge.first through %s", (protocol) => {
  test("asks the small model of every pair and the large one of those that are close to it", async () => {
    engineAnswers.behave = twoModels;
    // The odds of neighbours are 0.73, of the worst and the best 0.88.
    const { group, app, id } = await judged(protocol, { ...OWN, first: FIRST }, { score: "wins" });
    expect(group.win_counts).toEqual([1, 1, 1]);
    expect(group.verifier).toMatchObject({ generations: 5, models: ["large", "small"], why: { first: 1 } });
    const small = asked.filter(({ body }) => body.model === "small");
    expect(small).toHaveLength(3);
    expect(small.every(({ body }) => body.logprobs === true && body.max_tokens === 8)).toBe(true);
    const large = asked.filter(({ body }) => body.model === "large");
    expect(large).toHaveLength(2);
    expect(large.some(({ body }) => "logprobs" in body)).toBe(false);
    const told = (await (await app.call(`/v1/groups/${id}/verdicts`)).json()) as {
      verdicts: { model: string; judge?: string; order: number[] }[];
    };
    const said = told.verdicts.map(({ model, judge }) => [model, judge]);
    expect(said.filter(([model]) => model === "small")).toEqual([1, 2, 3].map(() => ["small", "first"]));
    expect(said.filter(([model]) => model === "large")).toEqual([1, 2].map(() => ["large", undefined]));
  });

  test("is no number where either model fails: the judge stands in for the first, and nobody for the judge", async () => {
    const failing = (model: string) => (request: MockRequest) =>
      request.body.model === model ? status(404) : twoModels(request);
    engineAnswers.behave = failing("small");
    const alone = await judged(protocol, { ...OWN, first: FIRST }, { score: "wins" });
    expect(alone.group.win_counts).toEqual([2, 1, 0]);
    engineAnswers.behave = failing("large");
    const lost = await judged(protocol, { ...OWN, first: FIRST }, { score: "wins" });
    expect(lost.rewards).toEqual([null, null, null]);
  });

  test("of an engine without log probabilities leaves every pair to the judge", async () => {
    engineAnswers.behave = (request) => (request.body.model === "small" ? answer("A") : twoModels(request));
    const { group } = await judged(protocol, { ...OWN, first: FIRST }, { score: "wins" });
    expect(group.win_counts).toEqual([2, 1, 0]);
    expect(group.verifier).toMatchObject({ generations: 6, failed: 3, why: { first: 0 } });
  });
});

describe("a spec's first judge", () => {
  const key = "Better";
  const template = {
    shape: "pair",
    messages: [{ role: "user", text: "{{question}}\n\n{{candidates}}\n\nEnd with a line: Better A or B" }],
    candidate: "[Answer {{letter}}]\n{{text}}\n[End of answer {{letter}}]",
    parser: { kind: "line", key, labels: ["A", "B"] },
  };
  const headers = { "content-type": "application/json" };

  test("may be asked by a deployment's own template, and is refused by its field where that has no one letter", async () => {
    engineAnswers.behave = (request) =>
      request.body.max_tokens === 8
        ? streamed(
            [{ text: "Better" }, { text: " A", top: letters(odds(shownIn(textOf(request))), 1, (l) => ` ${l}`) }],
            false,
          )
        : answer("\\boxed{A}");
    const app = setUp({ verifier: verifiers.openai, clock, templates: fakeTemplateStore() });
    const put = (name: string, body: object) =>
      app.call(`/v1/templates/${name}`, { method: "PUT", headers, body: JSON.stringify(body) });
    expect((await put("own", template)).status).toBe(200);
    const marks = "{{question}}\n\n{{candidates}}\n\nEnd with \\boxed{7, 4}: two marks from 1 to 9.";
    const numbers = {
      ...template,
      messages: [{ role: "user", text: marks }],
      parser: { kind: "numbers", range: [1, 9] },
    };
    expect((await put("marks", numbers)).status).toBe(200);
    const asks = (preset: string) => {
      const judge = { first: { preset, close: [0.4, 0.6] } };
      return app.post("/v1/rewards", { spec: { candidate: { extract: "whole" }, judge }, groups: [groupOf(TEXTS)] });
    };
    expect(((await (await asks("own")).json()) as { rewards: unknown }).rewards).toEqual([[0, 0.5, 1]]);
    const problem = await problemOf(await asks("marks"));
    expect(problem.errors?.map(({ path }) => path)).toEqual(["spec.judge.first.vote"]);
    const missing = await problemOf(await asks("none-such"));
    expect(missing.errors?.map(({ path }) => path)).toEqual(["spec.judge.first.preset"]);
  });

  test("may name only models and fields that the deployment lists", async () => {
    const models = { configured: ["judge"], lists: new Map() };
    const app = setUp({ verifier: verifiers.openai, clock, models });
    const asks = (first: object, judge: object = {}) =>
      app.post("/v1/rewards", { spec: { judge: { first, ...judge } }, groups: [groupOf(TEXTS)] });
    const other = await problemOf(await asks({ model: "small" }));
    expect(other).toMatchObject({ code: "model_not_allowed", errors: [{ path: "spec.judge.first.model" }] });
    const extra = await problemOf(await asks({ extra: { reasoning_effort: "low" } }));
    expect(extra.errors?.map(({ path }) => path)).toEqual(["spec.judge.first.extra.reasoning_effort"]);
  });
});
