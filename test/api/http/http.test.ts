// The guarantees of the HTTP parts apart from any route: JSON faults, ids, metrics text, environment.

import { describe, expect, test } from "vitest";
import { pathWithoutKey } from "../../../src/api/door/auth.ts";
import { describeJsonFault, fieldPath } from "../../../src/core/faults/json-fault.ts";
import { readEnv } from "../../../src/env.ts";
import { Metrics } from "../../../src/platform/counters.ts";
import { createRequestIds, ULID_PATTERN } from "../../../src/platform/request-ids.ts";
import fc from "../../harness/property.ts";

describe("describeJsonFault", () => {
  test.each([
    ['{"a": NaN}', "a", "NaN"],
    ['{"a": [1, {"b c": nan}]}', 'a[1]["b c"]', "NaN"],
    ["[1, 2,]", "[2]", "not a JSON value"],
    ['{"a": 1 "b": 2}', "a", "comma or the end of the object"],
    ['{"a": 1,}', "a", "key in double quotes"],
    ['{"a" 1}', "a", "colon"],
    ['{"a": "x\ny"}', "a", "raw control character"],
    ['{"a": "\\x"}', "a", "invalid escape"],
    ["{} {}", "$", "text after the end"],
    ['{"a": [[', "a[0][0]", "ends in the middle"],
    ["", "$", "empty"],
    ["{'a': 1}", "$", "key in double quotes"],
    ['{"a": 01}', "a", "not a JSON value"],
    ["{", "$", "key in double quotes"],
    ['{"a": {', "a", "key in double quotes"],
    ['{"": NaN}', '[""]', "NaN"],
  ])("names the place in %j", (text, path, message) => {
    const fault = describeJsonFault(text);
    expect(fault.message).toContain(message);
    expect(fault.path).toBe(path);
  });

  test("finds the very spot at which a valid text was broken", () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (before, after) => {
        const text = `{"first": ${before}, "bad": NaN, "last": ${after}}`;
        const fault = describeJsonFault(text);
        expect(fault.path).toBe("bad");
        expect(fault.detail).toContain(`line 1, column ${text.indexOf(', "bad": NaN') + 10 + 3}`);
      }),
    );
  });

  test("survives depth and length", () => {
    expect(describeJsonFault("[".repeat(1_000_000)).message).toContain("ends in the middle");
    expect(describeJsonFault(`["${"x".repeat(8_000_000)}`).message).toContain("not closed");
  });
});

test("a field path quotes strange keys and cuts long ones", () => {
  expect(fieldPath(["groups", 3, "rollouts", 0, "text"])).toBe("groups[3].rollouts[0].text");
  expect(fieldPath(["a b", "x".repeat(1000)])).toBe(`["a b"]["${"x".repeat(64)}"]`);
  expect(fieldPath([])).toBe("$");
});

test("request ids are ULIDs, distinct and ascending, also within a millisecond and when time steps back", () => {
  const times = [5, 5, 5, 4, 6, 6, 1e13];
  let call = 0;
  const next = createRequestIds(() => times[Math.min(call++, times.length - 1)] as number);
  const ids = Array.from({ length: 5000 }, next);
  for (const id of ids) expect(id).toMatch(ULID_PATTERN);
  expect([...new Set(ids)].sort()).toEqual(ids);
});

test("a replica's number is the 11th character of its request ids, as a hexadecimal digit, in the same order", () => {
  for (const replica of [0, 9, 15]) {
    const ids = Array.from(
      { length: 200 },
      createRequestIds(() => 5, replica),
    );
    expect(new Set(ids.map((id) => id[10]))).toEqual(new Set([replica.toString(16).toUpperCase()]));
    expect([...new Set(ids)].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(ULID_PATTERN);
  }
});

test("a path loses its key and nothing else", () => {
  expect(pathWithoutKey("/k/abc/v1/rewards")).toBe("/v1/rewards");
  expect(pathWithoutKey("/k/abc")).toBe("/");
  expect(pathWithoutKey("/k//v1")).toBe("/k//v1");
  expect(pathWithoutKey("/v1/k/abc")).toBe("/v1/k/abc");
});

test("histogram buckets are cumulative and end at the count", () => {
  const metrics = new Metrics();
  for (const seconds of [0.0005, 0.003, 0.003, 9999]) metrics.observe("kritai_verifier_seconds", seconds);
  const counts = [...metrics.render().matchAll(/^kritai_verifier_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)].map((m) =>
    Number(m[2]),
  );
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect([counts[0], counts.at(-2), counts.at(-1)]).toEqual([1, 3, 4]);
});

describe("readEnv", () => {
  const HEX = "ab".repeat(32);
  test("reads every variable, and takes an empty one as absent", () => {
    const { config, faults } = readEnv({
      API_KEYS: `a:${"cd".repeat(32)}, b:${HEX.toUpperCase()}`,
      VERIFIER_URL: "http://127.0.0.1:8000",
      VERIFIER_MODEL: "m",
      VERIFIER_MAX_IN_FLIGHT: "64",
      DATABASE_URL: "",
      LOG_LEVEL: "info",
    });
    expect(faults).toEqual([]);
    expect(config.API_KEYS?.map((k) => [k.name, k.digest[0], k.digest.length])).toEqual([
      ["a", 0xcd, 32],
      ["b", 0xab, 32],
    ]);
    expect(config).toMatchObject({ VERIFIER_MAX_IN_FLIGHT: 64, DATABASE_URL: undefined });
  });

  test.each([
    ["API_KEYS", "secretvalue"],
    ["API_KEYS", `a:${HEX},a:${HEX}`],
    ["API_KEYS", `a:${HEX},b:${HEX.toUpperCase()}`],
    ["API_KEYS", `a:${HEX.slice(2)}`],
    ["API_KEYS", `a:${HEX}:`],
    ["API_KEYS", `a:${HEX}:secretvalue`],
    ["API_KEYS", `a:${HEX}:score+`],
    ["API_KEYS", `a:${HEX}:score,logs:admin`],
    ["VERIFIER_URL", "ftp://secretvalue"],
    ["VERIFIER_PROTOCOL", "secretvalue"],
    ["VERIFIER_MAX_IN_FLIGHT", "0"],
    ["VERIFIER_MAX_IN_FLIGHT", "1e9"],
    ["DATABASE_URL", "mysql://secretvalue"],
    ["DATABASE_FETCH_ENDPOINT", "http://secretvalue.example.com/sql"],
    ["DATABASE_FETCH_ENDPOINT", "http://127.0.0.1.example.com/sql"],
    ["LOG_LEVEL", "secretvalue"],
  ])("names %s and never its value", (name, value) => {
    const { config, faults } = readEnv({ [name]: value });
    expect(faults.map((f) => f.path)).toEqual([name]);
    expect(config).not.toHaveProperty(name);
    expect(JSON.stringify(faults)).not.toContain("secretvalue");
  });

  test("a verifier without a model is a fault", () => {
    expect(readEnv({ VERIFIER_URL: "http://h" }).faults).toEqual([
      { path: "VERIFIER_MODEL", message: "required if VERIFIER_URL is set" },
    ]);
  });
});
