// Holds that a reply's text is JSON.stringify's but for real numbers, which are never written as
// integers.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonWriter, realText } from "../../src/core/contract/json-text.ts";
import { RewardsEventSchema, RewardsReplySchema } from "../../src/core/contract/rewards-reply.ts";
import fc from "../harness/property.ts";

describe("a real number", () => {
  it("is written with a fraction or an exponent, reads back as itself, and is never -0", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()), (value) => {
        const text = realText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/);
        expect(text).toMatch(/[.e]/);
        expect(JSON.parse(text)).toBe(value === 0 ? 0 : value);
      }),
    );
    expect([1, 0, -0, -1, 0.5, 1e21, 5e-324].map(realText)).toEqual([
      "1.0",
      "0.0",
      "0.0",
      "-1.0",
      "0.5",
      "1e+21",
      "5e-324",
    ]);
    expect([Number.NaN, Number.POSITIVE_INFINITY].map(realText)).toEqual(["null", "null"]);
  });
});

describe("a reply", () => {
  const Schema = z.looseObject({
    text: z.string(),
    reward: z.number().nullable(),
    wins: z.int().min(0),
    list: z.array(z.array(z.number().nullable())),
    pair: z.tuple([z.number(), z.int()]),
    by: z.record(z.string(), z.number()),
    flag: z.union([z.literal(0), z.literal(1)]),
    either: z.union([
      z.number(),
      z.object({ type: z.literal("a"), x: z.int() }),
      z.object({ type: z.literal("b"), x: z.number() }),
    ]),
    left: z.number().optional(),
  });

  it("has its members in their order, integers as they are, and what the schema does not know untouched", () => {
    const value = {
      ...{ own: { reward: 1 }, text: '"reward":1', reward: -0, wins: 2, list: [[1, null], []], pair: [3, 3] },
      ...{ by: { a: 1 }, flag: 1, either: { type: "b", x: 1 }, left: undefined },
    };
    expect(jsonWriter(Schema)(value)).toBe(
      '{"own":{"reward":1},"text":"\\"reward\\":1","reward":0.0,"wins":2,"list":[[1.0,null],[]],"pair":[3.0,3],"by":{"a":1.0},"flag":1,"either":{"type":"b","x":1.0}}',
    );
    expect(jsonWriter(Schema.shape.either)({ type: "a", x: 1 })).toBe('{"type":"a","x":1}');
    expect(jsonWriter(Schema.shape.either)(1)).toBe("1.0");
  });

  it("reads back as JSON.stringify's text does, whatever it holds", () => {
    const any = fc.jsonValue();
    const value = fc.record({
      text: any,
      reward: any,
      wins: any,
      list: any,
      pair: any,
      by: any,
      flag: any,
      either: any,
    });
    fc.assert(
      fc.property(value, (given) => {
        const text = jsonWriter(Schema)(given) as string;
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  it("of every event of a stream is written by the event's own schema", () => {
    const write = jsonWriter(RewardsEventSchema);
    expect(write({ type: "heartbeat", groups_done: 1, groups: 2 })).toBe(
      '{"type":"heartbeat","groups_done":1,"groups":2}',
    );
    expect(jsonWriter(RewardsReplySchema)({ rewards: [[1, 0]], step: 3 })).toBe('{"rewards":[[1.0,0.0]],"step":3}');
  });
});
