// Holds what a body of very many fields costs: it is refused before it is parsed, and the longest
// honest bodies are not.

import { describe, expect, it, vi } from "vitest";
import { crowding } from "../../../src/core/faults/json-crowd.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import fc from "../../harness/property.ts";
import { problemOf, setUp, twoRollouts } from "../routes/harness.ts";

const fields = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(",");

describe("a body of a million fields", () => {
  const { post } = setUp();
  const crowd = fields(1_000_000);
  const places: [string, string, string][] = [
    ["/v1/rewards", "beside the request's own", `${JSON.stringify(twoRollouts()).slice(0, -1)},${crowd}}`],
    ["/v1/rewards", "in the spec", `{"groups":[],"spec":{${crowd}}}`],
    ["/verl/compute_score", "in the label", `{"solution_str":"a","extra_info":"b","ground_truth":{${crowd}}}`],
    ["/nemo-gym/verify", "in a row's own fields", `{"row":{${crowd}}}`],
  ];

  it.each(places)("to %s is refused %s without being parsed", async (path, _, body) => {
    const parse = vi.spyOn(JSON, "parse");
    const reply = await post(path, body);
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
    parse.mockRestore();
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(`object_keys_max is ${LIMITS.object_keys_max}`);
  });

  it("is refused however they are spread over objects", async () => {
    const spread = Array.from({ length: 1000 }, () => `{${fields(1000)}}`).join(",");
    const { detail } = await problemOf(await post("/v1/verdicts", `{"items":[${spread}]}`));
    expect(detail).toContain(`body_keys_max is ${LIMITS.body_keys_max}`);
  });
});

describe("the count of fields", () => {
  it("takes the longest lists with every field, and texts of any characters", () => {
    const item = { text: 'a: "b\\": {', candidates: 5, correct: 1, pass_rates: [1, 0], length_tokens: 3 };
    expect(crowding(JSON.stringify({ items: Array(LIMITS.verdict_items_max).fill(item) }))).toBeNull();
    const many = JSON.stringify({ text: '":"{":'.repeat(100_000), "\\": ":\\" });
    expect(crowding(many)).toBeNull();
  });

  it("is exact: an object of as many fields as are allowed passes, one more does not, whatever surrounds it", () => {
    const object = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(fc.array(fc.json(), { maxLength: 5 }), object, (around, at) => {
        const full = `{${fields(LIMITS.object_keys_max)}}`;
        const body = (inner: string) => `[${[...around.slice(0, at), inner, ...around.slice(at)].join(",")}]`;
        expect(crowding(body(full))).toBeNull();
        expect(crowding(body(`${full.slice(0, -1)},"\\\\\\"":[{}]}`))).toBe("object_keys_max");
      }),
    );
  });
});
