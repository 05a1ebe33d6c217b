// Holds that reading an event by hand takes exactly what the protocol's schema takes, and skips
// what a newer gateway may add.

import { describe, expect, it } from "vitest";
import { readVerifyEvent } from "../../src/core/wire/verify-events.ts";
import { type VerifyEvent, VerifyEventSchema } from "../../src/core/wire/verify-protocol.ts";
import fc from "../harness/property.ts";

const about = { group_id: "g", comparison: 3 };
const EVENTS: VerifyEvent[] = [
  { type: "accepted", request_id: "r", generations: 4, queue_depth: 0 },
  {
    type: "verdict",
    ...about,
    sample: 1,
    answer: "\\boxed{A}",
    thinking: "closed",
    finish_reason: null,
    prompt_tokens: 9,
    completion_tokens: 8,
    queue_ms: 0.1,
    first_token_ms: null,
    total_ms: 7.5,
    letters: { A: 0.75, B: 0.25 },
    coverage: 0.9,
    written: "A",
  },
  { type: "saved", ...about, samples: [1, 2], completion_tokens: 5 },
  { type: "error", ...about, sample: 0, code: "verifier_unavailable", retryable: true },
  { type: "error", ...about, sample: 0, code: "verifier_rejected", retryable: false, reason: "no such model" },
  { type: "heartbeat", open: 2 },
  {
    type: "done",
    usage: { generations: 4, saved: 2, failed: 1, prompt_tokens: 9, completion_tokens: 8, in_flight_max: 3 },
  },
  { type: "accepted", request_id: "r", generations: 4, queue_depth: 0 },
];

/** Values at the edges of what fields accept. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(-1, 0, -0, 0.5, 2 ** 53, 2 ** 53 - 1, null, true, "", "0", "closed", "deadline", "toString"),
  fc.constantFrom<unknown>(
    [],
    [1],
    [-1],
    ["1"],
    {},
    { A: 1 },
    { A: "1" },
    { A: null },
    "g".repeat(128),
    "g".repeat(129),
  ),
  fc.jsonValue(),
);

const eventText = fc
  .tuple(
    fc.constantFrom(...EVENTS),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom("set", "drop", "inner"), odd), { maxLength: 2 }),
  )
  .map(([event, changes]) => {
    const changed = structuredClone(event) as Record<string, unknown>;
    for (const [at, how, value] of changes) {
      const inner = changed.usage ?? changed.letters;
      const fields = (how === "inner" && typeof inner === "object" && inner ? inner : changed) as Record<
        string,
        unknown
      >;
      const names = Object.keys(fields);
      const name = names[at % Math.max(1, names.length)] ?? "more";
      if (how === "drop") delete fields[name];
      else fields[name] = structuredClone(value);
    }
    return JSON.stringify(changed);
  });

const TYPES = new Set(EVENTS.map(({ type }) => type as string));

describe("an event", () => {
  it("is taken exactly when the schema takes it, and means the same", () => {
    fc.assert(
      fc.property(eventText, (text) => {
        const value = JSON.parse(text) as { type?: unknown };
        const schema = VerifyEventSchema.safeParse(value);
        const read = readVerifyEvent(text);
        if (typeof value.type === "string" && !TYPES.has(value.type)) expect(read).toBe("unknown");
        else if (schema.success) expect(read).toMatchObject(schema.data);
        else expect(read).toBe("malformed");
      }),
      { numRuns: 4000 },
    );
  });

  it.each(EVENTS.map((event) => [event.type, event] as const))("%s is taken as it is", (_, event) => {
    expect(VerifyEventSchema.parse(event)).toEqual(event);
    expect(readVerifyEvent(JSON.stringify(event))).toEqual(event);
  });

  it.each(["", "{", "null", "[]", '"heartbeat"', "{}", '{"type":5}', '{"type":null}'])("%j is none", (text) => {
    expect(readVerifyEvent(text)).toBe("malformed");
  });

  it("with a number that JSON can write and no double can hold is none", () => {
    const text = JSON.stringify(EVENTS[1]).replace('"total_ms":7.5', '"total_ms":1e999');
    expect(readVerifyEvent(text)).toBe("malformed");
  });

  it("of a type yet to be invented is skipped, inherited names of objects included", () => {
    for (const type of ["progress", "toString", "__proto__"]) {
      expect(readVerifyEvent(`{"type":"${type}","x":1}`)).toBe("unknown");
    }
  });

  it("may have fields yet to be invented", () => {
    expect(readVerifyEvent('{"type":"heartbeat","open":1,"load":0.5}')).toMatchObject({ type: "heartbeat", open: 1 });
  });
});
