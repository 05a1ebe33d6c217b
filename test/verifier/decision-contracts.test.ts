// Holds each API of a decision model to its own published types: OpenAI's by its package's TypeScript,
// TypeSafe's by the JSON Schema of its package (typesafe-sdk 0.7.5, as pydantic writes it).
import { readFileSync } from "node:fs";
import type { Decision, DecisionCreateParams } from "openai/resources/decisions";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { DECISION_APIS, type DecisionQuestion, sharesOf } from "../../src/core/wire/decision-apis.ts";

const STATE = "TASK:\nAdd 2 and 2.\n\n[ANSWER_A]\n4\n[/ANSWER_A]\n";
const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const LEVELS = ["Wrong.", "Partly right.", "Right."];
const QUESTIONS: readonly DecisionQuestion[] = [
  { id: "A.B", instructions: "Which answer is better?", options: ["A", "B"] },
  { id: "check", instructions: "Which word?", options: ["amber", "basalt", "cobalt"] },
  { id: "A", instructions: "How good is answer A?", options: ["0", "1", "2"], levels: LEVELS },
];
const SHARES = [
  [0.75, 0.25],
  [0.5, 0.25, 0.25],
  [0.125, 0.5, 0.375],
];

/** The shares that a reply gives to each question's options. */
const sharesIn = (api: keyof typeof DECISION_APIS, reply: unknown) => {
  const { answers } = DECISION_APIS[api].read(reply);
  return QUESTIONS.map(({ id, options }) => {
    const answer = answers.get(id);
    return answer == null ? answer : sharesOf(answer, options);
  });
};

describe("openai", () => {
  const BODY = {
    model: "gpt-6-luna",
    input: STATE,
    questions: [
      {
        ...{ type: "choice", name: "A.B", instructions: "Which answer is better?" },
        choices: [{ value: "A" }, { value: "B" }],
      },
      {
        ...{ type: "choice", name: "check", instructions: "Which word?" },
        choices: [{ value: "amber" }, { value: "basalt" }, { value: "cobalt" }],
      },
      {
        ...{ type: "score", name: "A", instructions: "How good is answer A?" },
        levels: [{ label: "Wrong." }, { label: "Partly right." }, { label: "Right." }],
      },
    ],
  } satisfies DecisionCreateParams;

  const usage = {
    ...{ input_tokens: 88, output_tokens: 0, total_tokens: 88 },
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const REPLY: Decision = {
    model: "gpt-6-luna",
    answers: QUESTIONS.map(({ id, options, levels }, at) => {
      const of = (i: number) => SHARES[at]?.[i] as number;
      const confidence = 0.4;
      if (levels === undefined) {
        const probabilities = options.map((value, i) => ({ value, probability: of(i) }));
        return { type: "choice", name: id, choice: options[1] as string, confidence, probabilities };
      }
      const rated = levels.map((label, value) => ({ value, label, probability: of(value) }));
      return { type: "score", name: id, score: 0.1, confidence, probabilities: rated };
    }),
    usage,
  };

  it("is sent what the package takes", () => {
    expect(DECISION_APIS.openai.body(STATE, QUESTIONS, "gpt-6-luna")).toEqual(BODY);
  });

  it("is sent images as parts of a message, as the package takes them", () => {
    const shown = {
      ...BODY,
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: IMAGE },
            { type: "input_text", text: STATE },
          ],
        },
      ],
    } satisfies DecisionCreateParams;
    expect(DECISION_APIS.openai.body(STATE, QUESTIONS, "gpt-6-luna", [IMAGE])).toEqual(shown);
  });

  it("is read as the package types it: by probabilities, with a refusal for its question alone", () => {
    expect(sharesIn("openai", REPLY)).toEqual(SHARES);
    expect(DECISION_APIS.openai.read(REPLY)).toMatchObject({ input_tokens: 88, model: "gpt-6-luna" });
    const refused: Decision = { ...REPLY, answers: [{ type: "refusal", name: "A.B" }, ...REPLY.answers.slice(1)] };
    expect(sharesIn("openai", refused)).toEqual([null, ...SHARES.slice(1)]);
    const unnamed: Decision = { ...REPLY, answers: [{ type: "refusal", name: null }, ...REPLY.answers.slice(1)] };
    expect(sharesIn("openai", unnamed)).toEqual([undefined, ...SHARES.slice(1)]);
  });

  it("tells a boolean from its text", () => {
    const value = (probability: number, of: string | boolean) => ({ value: of, probability });
    const both: Decision["answers"] = [
      {
        ...{ type: "choice", name: "A.B", choice: true, confidence: 1 },
        probabilities: [value(0.5, true), value(0.5, "true")],
      },
    ];
    expect(sharesIn("openai", { ...REPLY, answers: both })[0]).toBeUndefined();
  });
});

describe("systemone", () => {
  const schemas = JSON.parse(
    readFileSync(new URL("../vectors/typesafe_systemone.json", import.meta.url), "utf8"),
  ) as Record<"request" | "response", Parameters<typeof z.fromJSONSchema>[0]>;
  const [request, response] = [z.fromJSONSchema(schemas.request), z.fromJSONSchema(schemas.response)];

  it("is sent what the package takes", () => {
    const body = DECISION_APIS.systemone.body(STATE, QUESTIONS, "jev-1.13.0");
    expect(request.parse(body)).toEqual(body);
    expect(request.safeParse({ ...(body as object), questions: {} }).success).toBe(false);
  });

  it("is read as the package types it", () => {
    const answers = QUESTIONS.map(({ id, options, levels }, at) => {
      const probabilities = Object.fromEntries(options.map((name, i) => [name, SHARES[at]?.[i]]));
      if (levels === undefined) return [id, { type: "choice", choice: options[1], confidence: 0.4, probabilities }];
      return [id, { type: "score", score: 0.1, legend: { ...levels }, confidence: 0.4, probabilities }];
    });
    const usage = { input_tokens: 121, output_tokens: 0 };
    const reply = response.parse({ model: "jev-1.13.0", answers: Object.fromEntries(answers), usage });
    expect(sharesIn("systemone", reply)).toEqual(SHARES);
    expect(DECISION_APIS.systemone.read(reply)).toMatchObject({ input_tokens: 121, model: "jev-1.13.0" });
  });

  it("is asked the same through Workers AI, by the model's own name", () => {
    const body = DECISION_APIS["workers-ai"].body(STATE, QUESTIONS, "@cf/cloudflare/clef-flash");
    expect(body).toEqual(DECISION_APIS.systemone.body(STATE, QUESTIONS, "clef-flash"));
  });

  it("has images through Workers AI, in the field of its model's schema", () => {
    const images = z.array(z.string().regex(/^data:image\/(?:png|jpeg|webp);base64,/)).max(4);
    const body = DECISION_APIS["workers-ai"].body(STATE, QUESTIONS, "@cf/cloudflare/clef-flash", [IMAGE]);
    const { images: sent, ...rest } = z.looseObject({ images }).parse(body);
    expect(sent).toEqual([IMAGE]);
    expect(rest).toEqual(DECISION_APIS.systemone.body(STATE, QUESTIONS, "clef-flash"));
  });
});

describe("sglang", () => {
  // The fields of sglang 0.5.23's decision route, which refuses others.
  const text = z.string().min(1);
  const asked = { id: text, question: text };
  const question = z.discriminatedUnion("type", [
    z.strictObject({
      ...{ ...asked, type: z.literal("choice") },
      options: z
        .array(z.strictObject({ name: text, description: text.nullish() }))
        .min(2)
        .max(26),
    }),
    z.strictObject({ ...asked, type: z.literal("score"), levels: z.array(text).min(2).max(10) }),
  ]);
  const request = z.strictObject({
    ...{ model: text, input: text, questions: z.array(question).min(1) },
    images: z.array(z.strictObject({ url: text, detail: z.enum(["auto", "low", "high"]).optional() })).optional(),
  });

  it("is sent what the server takes", () => {
    for (const images of [[], [IMAGE]]) {
      const body = DECISION_APIS.sglang.body(STATE, QUESTIONS, "qwen", images);
      expect(request.parse(body)).toEqual(body);
    }
  });

  it("is read by probabilities and label mass; the server counts the state once per question", () => {
    const answers = QUESTIONS.map(({ id, options, levels }, at) => {
      const probabilities = Object.fromEntries(options.map((name, i) => [name, SHARES[at]?.[i]]));
      const chosen = levels === undefined ? { type: "choice", choice: options[1] } : { type: "score", score: 0.1 };
      return [id, { ...chosen, probabilities, label_mass: 0.9 }];
    });
    const usage = { prompt_tokens: 300 };
    const reply = { answers: Object.fromEntries(answers), prompt_format_version: 1, usage };
    expect(sharesIn("sglang", reply)).toEqual(SHARES);
    const read = DECISION_APIS.sglang.read(reply);
    expect([read.input_tokens, read.answers.get("A")?.coverage]).toEqual([100, 0.9]);
  });
});
