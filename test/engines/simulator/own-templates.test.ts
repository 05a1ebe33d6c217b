// The simulator as the judge of a deployment's own templates, over HTTP: one of each shape and
// parser, stored by PUT, asked through both protocols, gives the rewards that the labels say.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningSimulator, startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { ParserSettings } from "../../../src/core/judges/parsers/table.ts";
import type { Shape } from "../../../src/core/judges/presets/preset.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { setUp } from "../../api/routes/harness.ts";
import { fakeTemplateStore } from "../../harness/fakes.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { startMockVerifier } from "../../harness/mock-verifier.ts";

const clock = systemClock;
const about = { model: "sim-7b", apiKey: null };
// So sure that the labels alone decide.
const noise = { discrimination: 2_000, lapse_rate: 0, position_bias: 0, loop_rate: 0, thinking_median_tokens: 8 };

let engine: RunningSimulator;
let relay: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  engine = await startSimulator({ model: "sim-7b", scale: "instant", seed: 5, noise: { ...noise, parse_rate: 1 } });
  const pool = createEnginePool({ urls: [engine.url], ...about, simulated: true });
  relay = await startGateway({ host: "127.0.0.1", port: 0, pool });
});
afterAll(async () => {
  await relay.close(0);
  await engine.close();
});

const direct = (simulated = true) => createOpenAiVerifier({ ...about, url: engine.url, simulated }, clock);
const relayed = () => createGatewayVerifier({ ...about, url: relay.url }, clock);

interface Told {
  parser: ParserSettings;
  /** The words about the form, as a template must have them. */
  form: string;
  ties?: string[];
  passing?: string[];
}

/** Forms that distinguish several candidates. */
const SEVERAL: Record<string, Told> = {
  "boxed, letters": { parser: { kind: "boxed" }, form: "\\boxed{A}" },
  "boxed, labels of its own": {
    parser: { kind: "boxed", labels: ["first", "second", "third", "neither"] },
    form: "\\boxed{first}, \\boxed{second}, \\boxed{third} or \\boxed{neither}",
    ties: ["neither"],
  },
  "boxed, several": { parser: { kind: "boxed", many: true }, form: "\\boxed{A, C} or \\boxed{none}" },
  numbers: { parser: { kind: "numbers", range: [0, 20] }, form: "\\boxed{7, 4}" },
  "bracket, letters": {
    parser: { kind: "bracket", labels: ["A", "B", "C", "T"] },
    form: "[[A]], [[B]], [[C]] or [[T]]",
    ties: ["T"],
  },
  "bracket, ratings": { parser: { kind: "bracket", range: [1, 5] }, form: "[[A]] rated as [[4, 2]]" },
  "tag, letters": { parser: { kind: "tag", tag: "choice" }, form: "<choice>A</choice>" },
  "tag, one each": {
    parser: { kind: "tag", tag: "mark", range: [0, 9], whole: true, each: true },
    form: "<mark>3</mark><mark>4</mark>",
  },
  line: { parser: { kind: "line", key: "Best:" }, form: "Best: A" },
  "json, a key each": { parser: { kind: "json", scores: "mark_{n}", range: [0, 100] }, form: '{"mark_1": 70}' },
  "json, a list": {
    parser: {
      kind: "json",
      scores: "marks",
      ids: "text-{letter}",
      items: ["id", "mark"],
      order: ["order"],
      winner: "best",
    },
    form: '{"marks": [{"id": "text-A", "mark": 0.5}], "order": [], "best": "text-A"}',
  },
  word: { parser: { kind: "word" }, form: "one letter alone" },
  "logprobs, behind a tag": { parser: { kind: "logprobs", tag: "<best>" }, form: "<best>A" },
};

/** Forms for two candidates only. */
const PAIR: Record<string, Told> = {
  "bracket, strengths": { parser: { kind: "bracket", strength: true }, form: "[[A>B]]" },
  "json, a ranking": {
    parser: { kind: "json", scores: "mark_{n}", range: [0, 9], ranking: { key: "rank", range: [1, 6] } },
    form: '{"mark_1": 5, "mark_2": 2, "rank": 1}',
  },
  "logprobs, a mark each": {
    parser: { kind: "logprobs", labels: ["P", "Q", "R"], each: ["<m_one>", "<m_two>"] },
    form: "<m_one>P</m_one><m_two>R</m_two>",
  },
};

/** What is said of one candidate. */
const ONE: Record<string, Told> = {
  boxed: { parser: { kind: "boxed", labels: ["good", "bad"] }, form: "\\boxed{good}", passing: ["good"] },
  numbers: { parser: { kind: "numbers", range: [-2, 2] }, form: "\\boxed{1}" },
  bracket: { parser: { kind: "bracket", range: [1, 7] }, form: "[[A]] as [[5]]" },
  "bracket, labels": { parser: { kind: "bracket", labels: ["Y", "N"] }, form: "[[Y]]", passing: ["Y"] },
  tag: { parser: { kind: "tag", tag: "score", range: [0, 1] }, form: "<score>0.8</score>" },
  line: { parser: { kind: "line", key: "[MARK]", range: [1, 5] }, form: "[MARK] 4" },
  "line, labels": {
    parser: { kind: "line", key: "Says:", labels: ["true", "false"] },
    form: "Says:",
    passing: ["true"],
  },
  "json, a grade": { parser: { kind: "json", grade: "mark", pass: "ok", range: [0, 10] }, form: '{"mark": 7}' },
  "json, what is met": { parser: { kind: "json", met: "holds" }, form: '{"holds": true}' },
  word: { parser: { kind: "word", labels: ["right", "wrong"] }, form: "right or wrong", passing: ["right"] },
  logprobs: {
    parser: { kind: "logprobs", tag: "<is>", labels: ["ok", "bad"] },
    form: "<is>ok",
    passing: ["ok"],
  },
};

/** Forms that name a step. */
const STEPS: Record<string, Told> = {
  numbers: { parser: { kind: "numbers", range: [-1, 99] }, form: "\\boxed{n}" },
  tag: { parser: { kind: "tag", tag: "step", range: [-1, 99], whole: true }, form: "<step>n</step>" },
  line: { parser: { kind: "line", key: "Wrong:", range: [-1, 99] }, form: "Wrong: n" },
  "json, a grade": { parser: { kind: "json", grade: "step", range: [-1, 99] }, form: '{"step": -1}' },
};

const several = (shape: Shape) => shape === "pair" || shape === "list";

function templateOf(shape: Shape, { form, ...told }: Told, style?: "completion") {
  const extra = { reference: "\n[Key]\n{{reference}}", rubric: "\n[Wanted]\n{{rubric}}" };
  const asked = `[Task]\n{{question}}${extra[shape as keyof typeof extra] ?? ""}\n\n{{candidates}}\n\nEnd with ${form}.`;
  return {
    shape,
    messages: [
      { role: "system", text: `You look at ${several(shape) ? "{{count}} texts" : "a text"}.` },
      { role: "user", text: asked },
    ],
    candidate: several(shape) ? "[Text {{letter}}]\n{{text}}\n[End of {{letter}}]" : "[Text]\n{{text}}\n[Over]",
    between: "\n--\n",
    ...told,
    ...(style && { style }),
  };
}

/** Three rollouts of which the middle one is right. */
const RATES = [0.1, 1, 0];

function request(shape: Shape) {
  const judge = { preset: "own", reask: 0, max_tokens: 2_048, ...(shape === "list" && { mode: "listwise" }) };
  const alone = shape === "steps" ? { kind: "steps", source: "judge", judge } : { kind: "grade", judge };
  const quality = several(shape) ? { kind: "tournament", judge } : alone;
  const rollouts = RATES.map((rate, r) => {
    const step_texts = ["Let me see.", `Answer ${r}\n# pass_rate=${rate}`];
    return { text: step_texts[1], step_texts };
  });
  return {
    spec: { candidate: { extract: "whole" }, signals: { quality } },
    groups: [{ prompt: "What is it?", reference: "right", rollouts }],
  };
}

async function judged(
  verifier: ReturnType<typeof direct>,
  template: object,
  shape: Shape,
  body: object = request(shape),
) {
  const api = setUp({ verifier, clock, templates: fakeTemplateStore() });
  const stored = await api.call("/v1/templates/own", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(template),
  });
  if (stored.status !== 200) throw new Error(await stored.text());
  const response = await api.post("/v1/rewards", body);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return reply;
}

const PLAYED: [Shape, Record<string, Told>][] = [
  ["pair", { ...SEVERAL, ...PAIR }],
  ["list", SEVERAL],
  ["point", ONE],
  ["reference", ONE],
  ["rubric", ONE],
  ["steps", STEPS],
];

describe.each(PLAYED)("a template of the shape %s", (shape, forms) => {
  test.each(Object.entries(forms))("%s", async (_, told) => {
    const template = templateOf(shape, told);
    for (const verifier of [direct(), relayed()]) {
      const { rewards, metrics } = await judged(verifier, template, shape);
      expect(metrics.parse_rate).toBe(1);
      const [low, right, lowest] = rewards[0] as [number, number, number];
      expect(right).toBe(1);
      if (several(shape)) expect(low + lowest).toBeLessThanOrEqual(0.5);
      else expect(Math.max(low, lowest)).toBeLessThanOrEqual(0.25);
    }
  });
});

test("items with choices are told by their number, by a preset for many and by a template for one", async () => {
  const one: Told = { parser: { kind: "json", met: "choice", choices: true }, form: '{"choice": 2}' };
  const template = { ...templateOf("rubric", one), passing: undefined };
  const rubric = [
    { text: "How right is it?", points: 2, choices: ["wrong", "nearly", "right"] },
    { text: "Is it an answer?", points: 1 },
  ];
  for (const preset of ["own", "rubric-items"]) {
    const asked = request("rubric");
    const style = { kind: "rubric", judge: { preset, reask: 0, max_tokens: 2_048 } };
    const body = { spec: { ...asked.spec, signals: { style } }, groups: [{ ...asked.groups[0], rubric }] };
    for (const verifier of [direct(), relayed()]) {
      expect((await judged(verifier, template, "rubric", body)).rewards).toEqual([[0, 1, 0]]);
    }
  }
});

test("a raw completion in words of its own is played, too", async () => {
  const template = templateOf("pair", SEVERAL.line as Told, "completion");
  for (const verifier of [direct(), relayed()]) {
    expect((await judged(verifier, template, "pair")).rewards).toEqual([[0.5, 1, 0]]);
  }
});

test("an engine that is not said to be the simulator is sent no template, and the simulator then has no verdict", async () => {
  const template = templateOf("pair", SEVERAL.line as Told);
  const { rewards, groups } = await judged(direct(false), template, "pair");
  expect(rewards).toEqual([[null, null, null]]);
  expect(groups[0]?.rollouts.map(({ error }) => error)).toEqual(["unparsed", "unparsed", "unparsed"]);
  const mock = await startMockVerifier(() => answer("Best: A"));
  const pool = createEnginePool({ urls: [mock.url], ...about });
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  try {
    for (const verifier of [
      createOpenAiVerifier({ ...about, url: mock.url }, clock),
      createGatewayVerifier({ ...about, url: gateway.url }, clock),
    ]) {
      await judged(verifier, template, "pair");
    }
    expect(mock.log.length).toBeGreaterThan(0);
    for (const { body } of mock.log) expect(Object.keys(body as object)).not.toContain("judge_template");
  } finally {
    await gateway.close(0);
    await mock.close();
  }
});

test("messages that are not in the told template's words get no verdict, nor does a template that is none", async () => {
  const key = JSON.stringify({ ...templateOf("pair", SEVERAL.line as Told), name: "own" });
  for (const judge_template of [key, "{}"]) {
    const response = await fetch(`${engine.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "sim-7b", messages: [{ role: "user", content: "Hello." }], judge_template }),
    });
    const reply = (await response.json()) as { choices: { message: { content: string } }[] };
    expect(reply.choices[0]?.message.content).not.toContain("Best:");
  }
});
