// The guarantees of the SandboxFusion adapter, against a server that answers as its documentation says.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSandboxFusionEngine } from "../../testbed/engines/sandbox-fusion.ts";
import type { PoolTest } from "../../testbed/format/pool-format.ts";
import { Meter } from "../../testbed/sets/measuring.ts";
import { PassRateCache } from "../../testbed/sets/pass-rate-cache.ts";

interface Received {
  code: string;
  language: string;
  stdin: string;
  compile_timeout: number;
  run_timeout: number;
  memory_limit_MB: number;
}

const finished = (stdout: string, return_code = 0) => ({
  status: "Finished",
  execution_time: 0.02,
  return_code,
  stdout,
  stderr: "",
});
const success = (stdout: string) => ({
  status: "Success",
  message: "",
  compile_result: null,
  run_result: finished(stdout),
  files: {},
});
const failed = (fields: object) => ({
  status: "Failed",
  message: "",
  compile_result: null,
  run_result: null,
  files: {},
  ...fields,
});
const timedOut = { status: "TimeLimitExceeded", execution_time: 10, return_code: null, stdout: null, stderr: null };

/** The server's answer, decided by the program's text; the default echoes standard input. */
let answer: (received: Received, requests: number) => { status: number; body: unknown };
let received: Received[];
let atOnce: number;
let atOnceMost: number;
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    atOnceMost = Math.max(atOnceMost, ++atOnce);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: Received = JSON.parse(Buffer.concat(chunks).toString());
    received.push(body);
    const { status, body: reply } =
      request.url === "/run_code" ? answer(body, received.length) : { status: 404, body: {} };
    atOnce--;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  received = [];
  atOnce = 0;
  atOnceMost = 0;
  answer = ({ stdin }) => ({ status: 200, body: success(stdin) });
});

const tests: PoolTest[] = ["1\n", "2\n"].map((input) => ({ kind: "stdio", input, output: input }));
const program = { language: "cpp", code: "int main() {}" };
const engine = (options = {}) => createSandboxFusionEngine({ url, pause_ms: 1, ...options });
const outcomes = async (options = {}) => (await engine(options).run(program, tests)).map(({ outcome }) => outcome);
const always = (body: unknown) => {
  answer = () => ({ status: 200, body });
};

describe("a request", () => {
  it("carries the program, its language in the server's word, the input and the limits", async () => {
    await engine({ run_timeout_s: 3, memory_limit_mb: 512 }).run(
      { language: "javascript", code: "1" },
      tests.slice(0, 1),
    );
    expect(received).toEqual([
      {
        code: "1",
        language: "nodejs",
        stdin: "1\n",
        compile_timeout: 20,
        run_timeout: 3,
        memory_limit_MB: 512,
        files: {},
        fetch_files: [],
      },
    ]);
  });

  it("respects the limit of concurrent requests", async () => {
    const many: PoolTest[] = Array.from({ length: 20 }, (_, i) => ({ kind: "stdio", input: `${i}`, output: `${i}` }));
    const shared = engine({ in_flight_max: 3 });
    await Promise.all([shared.run(program, many), shared.run(program, many)]);
    expect(received).toHaveLength(40);
    expect(atOnceMost).toBeLessThanOrEqual(3);
  });
});

describe("an outcome", () => {
  it("is by the output when the program ends well", async () => {
    expect(await outcomes()).toEqual(["passed", "passed"]);
    always(success("2\n"));
    expect(await outcomes()).toEqual(["wrong", "passed"]);
  });

  it("is the program's fault when it does not compile, fails or takes too long", async () => {
    always(failed({ compile_result: finished("", 1) }));
    expect(await outcomes()).toEqual(["error", "error"]);
    always(failed({ compile_result: finished(""), run_result: finished("1\n", 139) }));
    expect(await outcomes()).toEqual(["error", "error"]);
    always(failed({ run_result: timedOut }));
    expect(await outcomes()).toEqual(["timeout", "timeout"]);
  });

  it.each([
    ["a sandbox error", 200, { status: "SandboxError", message: "no runner", compile_result: null, run_result: null }],
    ["an error of the runner", 200, failed({ run_result: { ...timedOut, status: "Error" } })],
    ["a failure without its reason", 200, failed({})],
    ["a reply in another shape", 200, { ok: true }],
    ["HTTP 500", 500, {}],
    ["HTTP 422", 422, {}],
  ])("is unknown, and not retried, after %s", async (_, status, body) => {
    answer = () => ({ status, body });
    expect(await outcomes()).toEqual(["unmeasured", "unmeasured"]);
    expect(received).toHaveLength(2);
  });

  it("is retried after 504, up to the limit", async () => {
    answer = ({ stdin }, requests) =>
      requests <= 4 ? { status: 504, body: {} } : { status: 200, body: success(stdin) };
    expect(await outcomes({ tries_max: 4 })).toEqual(["passed", "passed"]);
    answer = () => ({ status: 504, body: {} });
    received = [];
    expect(await outcomes({ tries_max: 2 })).toEqual(["unmeasured", "unmeasured"]);
    expect(received).toHaveLength(4);
  });

  it("is unknown without a server, and for a function call", async () => {
    const deaf = createSandboxFusionEngine({ url: "http://127.0.0.1:1" });
    const call: PoolTest = { kind: "call", function: "f", args: [1], expected: 1, strict: true };
    expect((await deaf.run(program, tests)).map(({ outcome }) => outcome)).toEqual(["unmeasured", "unmeasured"]);
    expect((await engine().run(program, [call]))[0]?.outcome).toBe("unmeasured");
    expect(received).toHaveLength(0);
  });
});

it("one test without an answer leaves the program without a pass rate, and it is retried the next time", async () => {
  const meter = new Meter(engine(), await PassRateCache.open());
  answer = (_, requests) => (requests === 1 ? { status: 500, body: {} } : { status: 200, body: success("1\n") });
  expect(await meter.measure(program, tests)).toMatchObject({ tally: null, unmeasured: "HTTP 500 after 1 tries" });
  expect(await meter.measure(program, tests)).toEqual({
    tally: { passed: 1, total: 2, failures: { wrong: 1 } },
    unmeasured: null,
  });
});
