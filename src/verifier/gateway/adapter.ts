// The `verify` adapter of the Verifier port: one streaming request per group to Kritai's own gateway next to
// the GPU. Independent of scoring and storage.

import * as z from "zod";
import { LIMITS } from "../../core/faults/limits.ts";
import { apiRoot, authorization } from "../../core/wire/chat-endpoint.ts";
import type { Clock, Verifier, VerifierSession } from "../../ports/ports.ts";
import { Backend } from "../fan-out/backend.ts";
import { type BackendKind, keyVariable } from "../fan-out/backend-kind.ts";
import { runtimeFetch } from "../fan-out/exchange.ts";
import { Governor } from "../fan-out/fan-out.ts";
import { callOptions } from "../fan-out/options.ts";
import { type StartTimer, startTimer } from "../fan-out/stall-watchdog.ts";
import { deadlineMs, verifyBody } from "./body.ts";
import { askGroup, type GatewayEndpoint } from "./exchange.ts";
import { GroupAsk } from "./group-ask.ts";
import { checkGateway } from "./health.ts";

/**
 * Upper bound of groups in flight: all groups of the largest request. The gateway sees the load of all
 * clients, so it limits what runs in the engines.
 */
const JOBS_IN_FLIGHT_MAX = LIMITS.groups_max;

export interface GatewayVerifierConfig {
  /** The gateway's base URL: `http://host:8792`, with or without `/v1` or `/v1/verify`. */
  url: string;
  /** The model's name at the engine, for calls that name none; null: the gateway's default. */
  model: string | null;
  apiKey: string | null;
  /** Name of the setting that holds the key; default: the first backend's. */
  key_variable?: string;
  /** The backend's state within the isolate; default: a new one, named `verifier`. */
  backend?: Backend;
  fetch?: typeof fetch;
  /** For tests: randomness and timer of the back-off, and timer of the silence watchdog. */
  random?: () => number;
  schedule?: StartTimer;
  watch?: StartTimer;
}

/**
 * A verifier behind `POST {base}/v1/verify` (docs/verify-protocol.md): one request per job, each
 * candidate sent once. At most `headers_waiting_max` requests per session wait for headers.
 * @throws TypeError for a URL that cannot be used
 */
export function createGatewayVerifier(config: GatewayVerifierConfig, clock: Clock): Verifier {
  const fetcher = config.fetch ?? runtimeFetch;
  const { key_variable = keyVariable(0) } = config;
  const root = apiRoot(config.url.replace(/\/verify\/*$/, ""));
  const endpoint: GatewayEndpoint = {
    url: `${root}/verify`,
    headers: {
      "content-type": "application/json",
      accept: "application/x-ndjson",
      ...authorization(config.apiKey),
    },
    fetch: fetcher,
    clock,
    watch: config.watch ?? startTimer(clock),
    key_variable,
  };

  // Never hedged: a second copy of a whole group would double the engines' load, and the gateway retries on
  // another replica by itself.
  const backend = config.backend ?? new Backend({ name: "verifier", hedging: false });

  return {
    protocol: "verify",
    model: config.model,
    generations_max: LIMITS.generations_verify_max,
    backends: () => [backend.status(clock.now())],
    requestCost: () => ({ calls: 1 }),
    check: () => checkGateway(root.replace(/\/v\d\w*$/, ""), config.apiKey, key_variable, fetcher, clock),
    session(call): VerifierSession {
      // One id for all groups of a request or unit of work: the gateway schedules requests with the same id
      // together.
      const headers = { ...endpoint.headers, "x-request-id": call.work ?? crypto.randomUUID() };
      const deadline_at = call.deadline_at ?? null;
      const model = call.model ?? config.model;
      const patient = deadline_at !== null && call.hand_on !== true;
      const governor = new Governor<GroupAsk>({
        ...callOptions(call, clock),
        max_in_flight: JOBS_IN_FLIGHT_MAX,
        clock,
        backend,
        ...(config.random && { random: config.random }),
        ...(config.schedule && { schedule: config.schedule }),
        send: ({ running: { job: group } }, signal, onHeaders, onBytes) => {
          const body = verifyBody(call, model, group.body(), deadlineMs(deadline_at, clock.now()), patient);
          return askGroup({ ...endpoint, headers }, group, body, signal, onHeaders, onBytes);
        },
      });
      return {
        stats: governor.stats,
        judge(job, sink) {
          const group = new GroupAsk(job, sink, { backend: backend.name, model }, patient);
          if (group.open === 0) return Promise.resolve();
          return governor.judge(group, ({ error, latency_ms }) => {
            group.finish(error ?? "verifier_bad_reply", latency_ms);
          });
        },
      };
    },
  };
}

/** The kind of backend for Kritai's gateway, which knows its model and limits its own load. */
export const gateway: BackendKind<{ model?: string; simulated?: "on" | "off"; programs_only?: "on" | "off" }> = {
  protocol: "verify",
  settings: z.object({
    model: z.string().min(1).max(256).optional(),
    simulated: z.enum(["on", "off"]).optional(),
    programs_only: z.enum(["on", "off"]).optional(),
  }),
  hedging: false,
  priorities: true,
  create: ({ url, model = null, simulated, programs_only, api_key: apiKey }, { backend, key_variable, clock }) => ({
    ...createGatewayVerifier({ url, model, apiKey, key_variable, backend }, clock),
    simulated: simulated === "on",
    programs_only: programs_only === "on",
  }),
};
