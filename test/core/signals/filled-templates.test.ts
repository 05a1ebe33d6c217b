// Owns the bounds on what templates are filled to: counted over a request before it is held or
// looked at, shared by all questions that are worded alike, and refused by the limit's name.
import { describe, expect, it, vi } from "vitest";
import { FillRoom } from "../../../src/core/asking/fill-room.ts";
import type { SignalContext } from "../../../src/core/asking/signal.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { drained } from "../../../src/core/math/drained.ts";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { AnySpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { planJudging } from "../../../src/scoring/judging.ts";
import { preparedOf } from "./prepared.ts";

const compiledOf = (signal: object) => compileSpec(AnySpecSchema.parse({ signals: { s: signal }, reward: "s" }), 64);
const GENERATIONS = LIMITS.generations_openai_max;

function groupsOf(count: number, rollouts: number, item: object, text = (r: number) => `${r}`) {
  return Array.from({ length: count }, (_, g) =>
    preparedOf(
      Array.from({ length: rollouts }, (_, r) => text(r)),
      { item, prompt: `${g}` },
    ),
  );
}

/** Bytes that the questions of a request hold beside the request. */
function heldBy(signal: object, groups: ReturnType<typeof groupsOf>): number {
  let held = 0;
  const hold = (bytes: number) => {
    held += bytes;
  };
  drained(planJudging(groups, compiledOf(signal), 0, GENERATIONS, { hold }));
  return held;
}

const message = (content: string) => ({ kind: "score_model", input: [{ role: "user", content }] });
/** 38 KiB of templates, each place of which names a kilobyte. */
const MANY = {
  kind: "score_model",
  input: Array.from({ length: 3 }, () => ({ role: "user", content: "{{item.a}}".repeat(300) })),
};
const ITEM_OF_WORDS = { a: Array.from({ length: 300 }, (_, i) => i).join(" ") };
const MAP_GET = Map.prototype.get;
const ITEM = { a: "x".repeat(1024), b: { c: "y" } };

describe("what templates are filled to", () => {
  it("is held once a group, however many rollouts are asked about", () => {
    const one = heldBy(MANY, groupsOf(1, 1, ITEM));
    expect(heldBy(MANY, groupsOf(1, 64, ITEM))).toBe(one);
    expect(heldBy(MANY, groupsOf(2, 64, ITEM))).toBe(2 * one);
    expect(one).toBeGreaterThan(3 * 900 * 1024);
  });

  it("is refused beyond the request's limit, by its name, before anything is asked", () => {
    expect(() => heldBy(MANY, groupsOf(64, 8, ITEM))).toThrow(/groups\[\d+\]\.item.*filled_request_chars is 16777216/);
    // Where it looks into the sample each question has its own.
    const own = message(`{{sample.output_json.v}} ${"{{item.a}}".repeat(500)}`);
    const json = (r: number) => JSON.stringify({ v: r });
    expect(() => heldBy(own, groupsOf(1, 64, ITEM, json))).toThrow(/filled_request_chars/);
    expect(heldBy(own, groupsOf(1, 16, ITEM, json))).toBeGreaterThan(16 * 500 * 1024);
  });

  it("counts all messages of one question against filled_chars", () => {
    const over = { ...MANY, input: [...MANY.input, ...MANY.input, ...MANY.input, ...MANY.input] };
    expect(() => heldBy(over, groupsOf(1, 1, ITEM))).toThrow(/filled_chars is 1048576/);
  });

  it("counts places beside what they hold: empty values are no way round", () => {
    const empty = {
      kind: "score_model",
      input: Array.from({ length: 32 }, () => message("{{item.a}}-".repeat(1400)).input[0]),
    };
    expect(() => heldBy(empty, groupsOf(256, 1, { a: "" }))).toThrow(/filled_request_chars/);
  });

  it.each([
    ["like", { kind: "string_check", operation: "like" }],
    ["bleu", { kind: "text_similarity", evaluation_metric: "bleu" }],
    ["rouge_5", { kind: "text_similarity", evaluation_metric: "rouge_5" }],
    ["fuzzy_match", { kind: "text_similarity", evaluation_metric: "fuzzy_match" }],
  ])("%s compares each pair of texts once, and refuses what a template repeats over rollouts", (_, kind) => {
    const alike = { ...kind, input: "{{item.a}}".repeat(60), reference: "{{item.a}}".repeat(59) };
    const room = new FillRoom();
    const { signals } = compiledOf(alike);
    const [one] = signals as [(typeof signals)[number]];
    const about = {
      name: "s",
      seed: 0,
      judgeable: false,
      jams: [],
      refused: [],
      step: 0,
      room,
    } satisfies SignalContext;
    const [small] = groupsOf(1, 64, { a: "a b ".repeat(20) }) as [ReturnType<typeof preparedOf>];
    const { scores } = one.signal.open(small, one.settings, about).result([]);
    expect(new Set(scores).size).toBe(1);
    const repeated = { ...alike, input: `{{sample.output_text}}${"{{item.a}}".repeat(900)}` };
    expect(() => heldBy(repeated, groupsOf(32, 64, ITEM))).toThrow(/filled_request_chars/);
  });

  it.each(["bleu", "rouge_5"])("%s takes a text of the group apart once, whichever of the two it is", (metric) => {
    const [filled, sample] = ["{{item.a}}".repeat(40), "{{sample.output_text}}"];
    const groups = groupsOf(1, 64, ITEM_OF_WORDS);
    const takenApart = (input: string, reference: string) => {
      const long = new Set<object>();
      const apart = vi.spyOn(Map.prototype, "get").mockImplementation(function (this: Map<unknown, unknown>, key) {
        // The counts of a text's n-grams are looked up in a map of their own, made once a text.
        if (this.size > 200) long.add(this);
        return MAP_GET.call(this, key);
      });
      try {
        heldBy({ kind: "text_similarity", evaluation_metric: metric, input, reference }, groups);
      } finally {
        apart.mockRestore();
      }
      return long.size;
    };
    for (const [input, reference] of [
      [sample, filled],
      [filled, sample],
    ] as const) {
      const made = takenApart(input, reference);
      expect(made).toBeGreaterThan(0);
      // One a length of n-grams, not one a rollout.
      expect(made).toBeLessThanOrEqual(4);
    }
  });

  it("counts a text that is searched beside each rollout as often", () => {
    const like = { kind: "string_check", operation: "like", reference: "{{sample.output_text}}" };
    const filled = { ...like, input: "{{item.a}}".repeat(60) };
    expect(heldBy(filled, groupsOf(1, 16, ITEM))).toBe(0);
    expect(() => heldBy(filled, groupsOf(1, 64, ITEM))).toThrow(/filled_request_chars/);
  });

  it("counts a char for the length of what it is compared with: short references leave more room", () => {
    const fuzzy = {
      kind: "text_similarity",
      evaluation_metric: "fuzzy_match",
      input: "{{item.a}}: {{sample.output_text}}",
    };
    expect(heldBy({ ...fuzzy, reference: "y" }, groupsOf(32, 64, ITEM))).toBe(0);
    expect(() => heldBy({ ...fuzzy, reference: "{{item.a}}{{item.a}}" }, groupsOf(32, 64, ITEM))).toThrow(
      /filled_request_chars/,
    );
  });

  it.each([
    ["string_check", { kind: "string_check", operation: "ne", reference: "x" }, "{{sample.output_text}}"],
    ["bleu", { kind: "text_similarity", evaluation_metric: "bleu", reference: "x" }, "{{sample.output_json.v}}"],
    ["score_model", message("").input, "{{sample.output_json.v}}"],
    ["score_model by its whole text", message("").input, "{{sample.output_text}}"],
  ])("%s has a sample lose by its own length, and leaves the others as they are", (_, kind, place) => {
    const content = place.repeat(20);
    const settings = Array.isArray(kind) ? message(content) : { ...kind, input: content };
    const long = JSON.stringify({ v: "y ".repeat(30_000) });
    const valuesOf = (texts: readonly string[]) => {
      const [{ signal, settings: own }] = compiledOf(settings).signals as [ReturnType<typeof compiledOf>["signals"][0]];
      const about = { name: "s", seed: 0, judgeable: false, jams: [], refused: [], step: 0, room: new FillRoom() };
      const plan = signal.open(preparedOf(texts, {}), own, about satisfies SignalContext);
      const { scores, details = [] } = plan.result([]);
      return { scores, details, asked: plan.next([]).length };
    };
    const plain = JSON.stringify({ v: "y" });
    const { scores, details, asked } = valuesOf([
      long,
      plain,
      ...Array.from({ length: 60 }, (_, i) => `${long}${" ".repeat(i)}`),
    ]);
    expect([scores[0], details?.[0]]).toEqual([{ value: 0, code: null }, { unreadable: "sample_too_long" }]);
    const alone = valuesOf([plain]);
    expect([scores[1], details?.[1]]).toEqual([alone.scores[0], alone.details?.[0]]);
    expect(asked).toBe(alone.asked);
  });

  it("leaves room for ordinary ones: 2,048 rollouts beside their answers", () => {
    const plain = {
      kind: "text_similarity",
      evaluation_metric: "rouge_l",
      input: "Answer: {{sample.output_text}}",
      reference: "{{item.a}}",
    };
    expect(heldBy(plain, groupsOf(32, 64, ITEM))).toBe(0);
    expect(heldBy(message("Judge {{sample.output_text}} by {{item.a}}"), groupsOf(32, 64, ITEM))).toBeLessThan(
      LIMITS.in_flight_body_bytes_max / 64,
    );
  });
});
