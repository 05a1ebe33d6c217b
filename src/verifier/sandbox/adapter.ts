// The backends `sandbox-fusion` and `piston`: services that run programs, with one request per program and
// test. The edge itself runs no programs. Independent of signals and storage.
import * as z from "zod";
import { LIMITS } from "../../core/faults/limits.ts";
import { apiRoot, authorization, partyHeader } from "../../core/wire/chat-endpoint.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import { SANDBOX_APIS, type SandboxShape } from "../../core/wire/sandbox-apis.ts";
import { TestMemory } from "../../core/wire/test-memory.ts";
import type { Health, Verifier, VerifierCall } from "../../ports/ports.ts";
import type { Address, BackendKind, BackendParts } from "../fan-out/backend-kind.ts";
import { runtimeFetch } from "../fan-out/exchange.ts";
import { Governor } from "../fan-out/fan-out.ts";
import { callOptions } from "../fan-out/options.ts";
import type { SandboxEndpoint } from "./exchange.ts";

/** Imported lazily, because its embedded programs add 34 kB that most deployments never need. */
const exchange = () => import("./exchange.ts");

function sandboxVerifier(shape: SandboxShape, { url, api_key }: Address, parts: BackendParts): Verifier {
  const { clock, backend, key_variable } = parts;
  const api = SANDBOX_APIS[shape];
  const headers = { "content-type": "application/json", accept: "application/json", ...authorization(api_key) };
  const root = apiRoot(url).replace(/\/v\d\w*$/, "");
  const endpoint: SandboxEndpoint = {
    url: root + api.path,
    health_url: root + api.health,
    api,
    headers,
    fetch: runtimeFetch,
    clock,
    key_variable,
    memory: new TestMemory(),
  };
  const inFlightMax = LIMITS.sandbox_in_flight_max;
  return {
    protocol: shape,
    takes: ["execute"],
    // Program runs have a separate limit, whatever the verifier's protocol (scoring/judging.ts).
    generations_max: LIMITS.generations_verify_max,
    backends: () => [backend.status(clock.now())],
    check: async (): Promise<Health> => (await exchange()).checkSandbox(endpoint),
    session(call: VerifierCall) {
      const partyEndpoint = { ...endpoint, headers: { ...headers, ...partyHeader(call.tenant) } };
      return new Governor<VerifierJob>({
        ...callOptions(call, clock),
        max_in_flight: Math.min(parts.max_in_flight ?? inFlightMax, inFlightMax),
        clock,
        backend,
        send: async ({ running: { job }, question, sample }, signal, onHeaders, onBytes) => {
          const program = job.candidates[question.shown[0] as number] as string;
          const { runTest } = await exchange();
          const ran = await runTest(partyEndpoint, { program, sample, job }, signal, onHeaders);
          onBytes();
          return ran;
        },
      });
    },
  };
}

const kind = (shape: SandboxShape): BackendKind => ({
  protocol: shape,
  settings: z.object({}),
  apart: true,
  hedging: false,
  priorities: null,
  create: (settings, parts) => sandboxVerifier(shape, settings, parts),
});

export const sandboxFusion = kind("sandbox-fusion");
export const piston = kind("piston");
