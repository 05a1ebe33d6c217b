// The lines in the terminal of `npm start`.
import { expect, test } from "vitest";
import { terminalLine, thrownText } from "../../scripts/stack/log-line.ts";

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

const textOf = (said: object) => terminalLine(JSON.stringify({ ...request, ...said }), AT).text;

test("a request is one line of its method, path, status, time and key, and of what was scored", () => {
  const scored = { groups: 1, rollouts: 16, rewards: 16, reward_mean: 0.5, verifier_calls: 120 };
  expect(terminalLine(JSON.stringify({ ...request, ...scored }), AT)).toEqual({
    text: "03:04:05  POST /v1/rewards  200  12 ms  lab  1 group  16 rollouts  16 rewards (mean 0.5)  120 verifier calls",
    request: true,
  });
  const lossy = { ...scored, rewards: 12, nulls: { deadline: 3, unparsed: 1 }, failed: { deadline: 9 } };
  expect(textOf({ ...lossy, reasons: ["the prompt is too long"] })).toMatch(
    /120 verifier calls {2}3 null: deadline {2}1 null: unparsed {2}9 not answered: deadline {2}verifier: the prompt is too long$/,
  );
  expect(textOf({ rollouts: 1, rewards: 0, reward_mean: null })).toMatch(/lab {2}1 rollout {2}0 rewards$/);
  const plain = { ...request, method: "GET", path: "/v1/runs", key_name: null };
  expect(terminalLine(JSON.stringify(plain), AT).text).toBe("03:04:05  GET /v1/runs  200  12 ms  no key");
});

test("the line of a request that did not end well says so", () => {
  expect(textOf({ status: null, client_gone: true })).toContain("/v1/rewards  client disconnected  12 ms");
  expect(textOf({ status: 400, refused: "facts_required" })).toContain("400  facts_required  12 ms");
  expect(textOf({ broken_off: "deadline" })).toContain("200  aborted: deadline  12 ms");
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

test("what was thrown is told in words, also where it is no Error, as of a disk that is full", () => {
  expect(thrownText(new Error("in use"))).toBe("in use");
  expect(thrownText({ name: "ErrnoError", errno: 51 })).toBe("ErrnoError: no space left on the disk");
  expect(thrownText({ name: "ErrnoError", errno: 44 })).toBe("ErrnoError: errno 44");
  expect(thrownText({ code: "ENOSPC", message: "write failed" })).toBe("ENOSPC: write failed");
  expect(thrownText("gone")).toBe("gone");
  for (const bare of [{}, new Error(""), null]) expect(thrownText(bare)).not.toContain("[object");
});
