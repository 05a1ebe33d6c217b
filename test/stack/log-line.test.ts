// What a person reads in the terminal of `npm start`.
import { expect, test } from "vitest";
import { terminalLine } from "../../scripts/stack/log-line.ts";

const AT = new Date(2026, 0, 2, 3, 4, 5);
const request = {
  level: "info",
  event: "request",
  method: "POST",
  route: "/v1/rewards",
  path: "/v1/rewards",
  status: 200,
  key_name: "lab",
  total_ms: 12,
};

test("a request is one line of its method, path, status, time and key, and of what was scored", () => {
  const scored = { ...request, groups: 1, rollouts: 16, verifier_calls: 120 };
  expect(terminalLine(JSON.stringify(scored), AT)).toEqual({
    text: "03:04:05  POST /v1/rewards  200  12 ms  lab  1 group  16 rollouts  120 verifier calls",
    request: true,
  });
  const lossy = { ...scored, nulls: { deadline: 3, unparsed: 1 } };
  expect(terminalLine(JSON.stringify(lossy), AT).text).toContain(
    "120 verifier calls  3 null: deadline  1 null: unparsed",
  );
  const plain = { ...request, method: "GET", path: "/v1/runs", key_name: null };
  expect(terminalLine(JSON.stringify(plain), AT).text).toBe("03:04:05  GET /v1/runs  200  12 ms  no key");
});

test("another line keeps all that it says, and a text that is no line of ours stays as it is", () => {
  const warning = JSON.stringify({ level: "warn", event: "verifier_refused", reasons: ["too long"] });
  expect(terminalLine(warning, AT)).toEqual({
    text: '03:04:05  warn  verifier_refused  {"reasons":["too long"]}',
    request: false,
  });
  for (const text of ["no JSON", "17", "null", '{"a":1}'])
    expect(terminalLine(text, AT)).toEqual({ text, request: false });
});
