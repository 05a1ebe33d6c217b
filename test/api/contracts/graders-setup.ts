// Owns what the tests of OpenAI's graders share: a client of OpenAI's own SDK before a stand-in verifier,
// and graders as it sends them.
import OpenAI, { BadRequestError } from "openai";
import { afterEach, expect } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { RunReplySchema } from "../../../src/api/tools/grader-reply.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { answer } from "../../harness/mock-behaviours.ts";
import { type Script, startMockVerifier } from "../../harness/mock-verifier.ts";
import { setUp } from "./setup.ts";

type RunBody = OpenAI.FineTuning.Alpha.GraderRunParams;

export type Grader = RunBody["grader"];

const clock = { now: () => performance.now(), date: () => new Date() };

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** OpenAI's client on the app; `script` answers for the judge. */
export async function clientOf(script: Script = () => answer("\\boxed{1}"), protocol: "openai" | "verify" = "openai") {
  const mock = await startMockVerifier(script);
  closing.push(() => mock.close());
  const about = { url: mock.url, model: "judge", apiKey: null };
  const pool = createEnginePool({ urls: [mock.url], model: "judge", apiKey: null, maxInFlight: 16 });
  const gateway = protocol === "verify" ? await startGateway({ host: "127.0.0.1", port: 0, pool }) : null;
  if (gateway !== null) closing.unshift(() => gateway.close(0));
  const verifier =
    gateway === null
      ? createOpenAiVerifier(about, clock)
      : createGatewayVerifier({ ...about, url: gateway.url }, clock);
  const { app, post, runLog } = setUp({ verifier, clock });
  const fetch = async (url: string | URL | Request, init?: RequestInit) => app.request(url as string, init);
  const client = new OpenAI({ baseURL: "http://localhost/v1", apiKey: "none", maxRetries: 0, fetch });
  const run = async (grader: unknown, model_sample: string, item?: unknown) => {
    const reply = await client.fineTuning.alpha.graders.run({ grader: grader as Grader, model_sample, item });
    RunReplySchema.parse(reply);
    return reply;
  };
  return { client, run, post, runLog, log: mock.log };
}

export const check = (operation: string, reference = "{{item.answer}}") => ({
  ...{ type: "string_check", name: "check", input: "{{sample.output_text}}", reference, operation },
});

export const scored = (more: object = {}) => ({
  type: "score_model",
  name: "quality",
  model: "default",
  input: [
    { role: "developer", content: "You grade answers." },
    { role: "user", content: [{ type: "input_text", text: "Q: {{ item.question }}\nA: " }, "{{sample.output_text}}"] },
  ],
  ...more,
});

export const labelled = (more: object = {}) => ({
  type: "label_model",
  name: "tone",
  model: "default",
  input: [{ role: "user", content: "{{sample.output_text}}", type: "message" }],
  labels: ["rude", "kind", "neutral"],
  passing_labels: ["kind", "neutral"],
  ...more,
});

export const refusalOf = (running: Promise<unknown>) =>
  running.then(
    () => expect.unreachable("was accepted"),
    (error) => {
      expect(error).toBeInstanceOf(BadRequestError);
      return { param: error.param as string, message: error.message as string };
    },
  );
