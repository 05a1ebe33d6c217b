// Every adapter to a verifier, and the fake, under the contract of the port: each on the same scripted server,
// which differs by the adapter's protocol alone.
import { afterAll } from "vitest";
import { startDecisionSimulator } from "../../scripts/stack/decision-simulator.ts";
import type { ItemErrorCode } from "../../src/core/faults/errors.ts";
import { DECISION_APIS } from "../../src/core/wire/decision-apis.ts";
import { SANDBOX_APIS, type SandboxShape } from "../../src/core/wire/sandbox-apis.ts";
import { VerifyRequestSchema } from "../../src/core/wire/verify-protocol.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createFallbackVerifier } from "../../src/verifier/fan-out/fallback.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { BACKENDS } from "../../src/verifier/table.ts";
import { fakeVerifier } from "../harness/fakes.ts";
import { answer, raw, reset, status } from "../harness/mock-behaviours.ts";
import { answers } from "../harness/mock-gateway.ts";
import { type Behaviour, type MockOptions, startMockVerifier } from "../harness/mock-verifier.ts";
import {
  type BackendMode,
  type MakeJob,
  pairsJob,
  singlesJob,
  type VerifierUnderTest,
  verifierContract,
} from "../port-contracts/verifier.contract.ts";
import { clock, deadUrl } from "./setup.ts";

interface Adapter {
  name: string;
  make(url: string): Verifier | Promise<Verifier>;
  /** The reply of a serving backend to a question's body. */
  answer(body: never): Behaviour;
  options?: MockOptions;
  job?: MakeJob;
}

const JSON_TYPE = { "content-type": "application/json" };
const says = (document: unknown): Behaviour => raw([JSON.stringify(document)], JSON_TYPE);

/** An adapter of the table, with a separate backend state. */
function adapterOf(protocol: string, settings: object, url: string): Verifier {
  const kind = BACKENDS.find((one) => one.protocol === protocol);
  if (kind === undefined) throw new Error(`no kind of backend is named ${protocol}`);
  const backend = new Backend({ name: protocol, hedging: false });
  return kind.create({ ...settings, name: protocol, url, api_key: null }, { backend, key_variable: "KEY", clock });
}

const ran = { status: "Finished", execution_time: 0.02, return_code: 0, stdout: "4", stderr: "" };
const stage = { stdout: "4", stderr: "", output: "4", code: 0, signal: null, message: null, status: null };
const RAN: Record<SandboxShape, unknown> = {
  "sandbox-fusion": { status: "Success", message: "", compile_result: null, run_result: ran, files: {} },
  piston: { language: "python", version: "3.12.0", run: { ...stage, cpu_time: 9, wall_time: 20, memory: 9_000 } },
};
const sandbox = (shape: SandboxShape): Adapter => ({
  name: shape,
  make: (url) => adapterOf(shape, {}, url),
  answer: () => says(RAN[shape]),
  options: {
    question_path: SANDBOX_APIS[shape].path,
    pages: { [SANDBOX_APIS[shape].health]: { status: 200, body: "pong" } },
  },
  job: singlesJob({
    ...{ to: "execute", preset: "tests" },
    runs: { cases: Array(8).fill({ stdin: "2", stdout: "4" }), language: "python", timeout_ms: 1_000 },
  }),
});

const openai: Adapter = {
  name: "openai",
  make: (url) => createOpenAiVerifier({ url, model: "mock-model", apiKey: null }, clock),
  answer: () => answer("\\boxed{A}"),
};

const DECISION_PATH = `/v1${DECISION_APIS.systemone.path()}`;
const model = await startDecisionSimulator((text) => text.length, "jev-1.13.0");

const ADAPTERS: readonly Adapter[] = [
  openai,
  {
    ...openai,
    name: "a dead backend, then openai",
    make: async (url) =>
      createFallbackVerifier(
        [await deadUrl(), url].map((one) => openai.make(one) as Verifier) as [Verifier, Verifier],
        clock,
      ),
  },
  {
    name: "verify",
    make: (url) => createGatewayVerifier({ url, model: null, apiKey: null }, clock),
    answer: (body) => answers(VerifyRequestSchema.parse(body)),
    options: {
      question_path: "/v1/verify",
      pages: { "/ready": { status: 200, body: { status: "ready", engine: { ok: true } } } },
    },
  },
  {
    name: "scalar",
    make: (url) => adapterOf("scalar", { api: "vllm-classify", template: "plain", step_tag: "<extra_0>" }, url),
    answer: ({ input }: { input: string[] }) =>
      says({ data: input.map((text, index) => ({ index, probs: [text.length / 1_000] })) }),
    options: { question_path: "/classify" },
    job: singlesJob({ to: "scalar", preset: "scalar" }),
  },
  ...(["sandbox-fusion", "piston"] as const).map(sandbox),
  {
    name: "decision",
    make: (url) => adapterOf("decision", { api: "systemone", model: "jev-1.13.0" }, url),
    answer: (body) => async (reply) => {
      const headers = JSON_TYPE;
      const told = await fetch(`${model.url}${DECISION_PATH}`, { method: "POST", headers, body: JSON.stringify(body) });
      reply.whole(told.status, JSON_TYPE, await told.text());
    },
    options: { question_path: DECISION_PATH },
    job: (...about) => ({ ...pairsJob(...about), to: "decide", preset: "decide-pair" }),
  },
];

/** An adapter on a server that behaves as the mode says. */
const on =
  (adapter: Adapter) =>
  async (mode: BackendMode): Promise<VerifierUnderTest> => {
    const released = Promise.withResolvers<void>();
    const mock = await startMockVerifier(({ body }) => {
      if (typeof mode === "object") return raw([mode.reply], JSON_TYPE);
      if (mode === "busy") return status(429);
      if (mode === "refuses") return status(400);
      if (mode === "resets") return reset();
      return async (reply) => {
        if (mode === "silent") await released.promise;
        return adapter.answer(body as never)(reply);
      };
    }, adapter.options);
    return {
      verifier: await adapter.make(mode === "dead" ? await deadUrl() : mock.url),
      asked: () => mock.until(({ log }) => log.length > 0),
      release: released.resolve,
      close: () => mock.close(),
    };
  };

afterAll(() => model.close());

for (const adapter of ADAPTERS) verifierContract(adapter.name, on(adapter), adapter.job);

const FAKED: Readonly<Record<"dead" | "resets" | "busy" | "refuses", ItemErrorCode>> = {
  dead: "verifier_unavailable",
  resets: "verifier_unavailable",
  busy: "verifier_overloaded",
  refuses: "verifier_rejected",
};

verifierContract("the fake", async (mode) => {
  const released = Promise.withResolvers<void>();
  const works = mode === "answers" || mode === "silent";
  const error: ItemErrorCode | null = works ? null : typeof mode === "object" ? "verifier_bad_reply" : FAKED[mode];
  const verifier = fakeVerifier(() => (error === null ? "\\boxed{A}" : { error }), {
    ...(mode === "silent" && { gate: released.promise }),
    health: { ok: works, latency_ms: 0 },
  });
  const asked = async () => {
    while (verifier.jobs.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return { verifier, asked, release: released.resolve, close: async () => undefined };
});
