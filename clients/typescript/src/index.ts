// The client: the routes that have a method, and any other by its path, typed from the server's OpenAPI
// document.
import createFetchClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from "openapi-fetch";
import { type Asking, asking, cut, type Sent } from "./asking.js";
import { badReply } from "./errors.js";
import type { Trajectory } from "./messages.js";
import type { components, paths } from "./openapi.generated.js";
import { type RewardsEvent, streamed } from "./stream.js";

export { type FieldFault, KritaiError } from "./errors.js";
export * as formulas from "./formulas.js";
export type { ChatMessage, Messages, ToolCall, Trajectory } from "./messages.js";
export type { components, paths } from "./openapi.generated.js";
export type { RewardsEvent } from "./stream.js";

type Schemas = components["schemas"];
type Group = Schemas["RewardsRequest"]["groups"][number];
/** One sampled completion: its `text`, or the `messages` of a run, with the `files` that it left. */
export type Rollout = Omit<Group["rollouts"][number], "messages"> & { messages?: Trajectory };
export type RewardsRequest = Omit<Schemas["RewardsRequest"], "groups"> & {
  groups: (Omit<Group, "rollouts"> & { rollouts: Rollout[] })[];
};
export type RewardsReply = Schemas["RewardsReply"];
export type RerankRequest = Schemas["RerankRequest"];
export type RerankReply = Schemas["RerankReply"];

export interface ClientOptions {
  /** The server's address; the path of a route behind it (`/v1`, `/v1/rewards`) is left out. */
  url: string;
  /** Sent as a Bearer token. */
  key?: string | undefined;
  /** Sent with every request: of a proxy in between, for instance. */
  headers?: Readonly<Record<string, string>>;
  /** How many failures of a call are tried again; 6. */
  retries?: number;
  /** In place of the global one: a proxy's, a binding's of a Worker. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** The whole call's time with all its retries, ms; a minute more than the server's deadline. */
  timeoutMs?: number;
  /** Ends the call, and the server's work for it; the call then throws the signal's reason. */
  signal?: AbortSignal;
}

type Api = Client<paths, "application/json">;
type Method = "get" | "put" | "post" | "delete";
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M & keyof paths[P]>;
type InitOf<I> = undefined extends I ? [init?: I & CallOptions] : [init: I & CallOptions];

/** Every method throws a `KritaiError` without a reply. */
export interface KritaiClient {
  /** `POST /v1/rewards`. A reward is a number, or null with its code in the rollout's `error`. */
  rewards(request: RewardsRequest, options?: CallOptions): Promise<RewardsReply>;
  /** The same, each group when it is scored. Leaving the loop hangs up. */
  streamRewards(request: RewardsRequest, options?: CallOptions): AsyncGenerator<RewardsEvent, void, undefined>;
  /** `POST /v2/rerank`: the documents' indices and scores, best first. */
  rerank(request: RerankRequest, options?: CallOptions): Promise<RerankReply>;
  /** Any other route that answers in JSON: `call("get", "/v1/runs/{run_id}", { params: .. })`. */
  call<M extends Method, P extends ClientPathsWithMethod<Api, M>>(
    method: M,
    path: P,
    ...init: InitOf<Init<P, M>>
  ): Promise<MethodResponse<Api, M, P>>;
}

const DEADLINE_MS = 120_000;
const DEADLINE_MS_MIN = 100;
const MINUTE_MS = 60_000;

/** @throws TypeError for a `url` or a `key` that nothing can be sent with */
export function createClient({ url, key, headers, retries = 6, fetch: given }: ClientOptions): KritaiClient {
  if (!/^https?:\/\/./.test(url)) throw new TypeError("url must begin with http:// or https://");
  // The platform's own refusal would quote it.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) throw new TypeError("key holds signs that no header can carry");
  const baseUrl = serverAddress(url);
  const shared = { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const api = createFetchClient<Record<string, never>>({ baseUrl, headers: shared });
  // Looked up when it is called, so that one that is replaced later counts.
  const send: typeof fetch = given ?? ((...request) => globalThis.fetch(...request));
  const begun = ({ signal }: CallOptions, timeoutMs: number) => asking({ fetch: send, retries, timeoutMs, signal });

  /** Through openapi-fetch, which writes paths, queries and bodies; its fetch is the whole call. */
  async function called(call: Asking, method: string, path: string, init: object): Promise<unknown> {
    const whole = async (request: Request): Promise<Response> => {
      const body = request.body === null ? undefined : await request.arrayBuffer();
      const sent: Sent = { url: request.url, method: request.method, headers: new Headers(request.headers), body };
      if (method === "post") named(sent.headers);
      return call.ask(sent, async (reply) => new Response(await reply.text().catch(cut), reply));
    };
    const loose = api as unknown as { request(...args: unknown[]): Promise<{ data?: unknown; response: Response }> };
    try {
      return (await loose.request(method, path, { ...init, fetch: whole })).data;
    } catch (fault) {
      if (fault instanceof SyntaxError) throw badReply("the reply is not JSON", null);
      throw fault;
    }
  }

  return {
    async rewards(request, options = {}) {
      const { deadline_ms, timeoutMs } = deadlines(request.deadline_ms, options);
      const body = { ...request, deadline_ms };
      const reply = (await called(begun(options, timeoutMs), "post", "/v1/rewards", { body })) as RewardsReply;
      return checked(request, reply);
    },
    streamRewards(request, options = {}) {
      const { deadline_ms, timeoutMs } = deadlines(request.deadline_ms, options);
      return streamed(begun(options, timeoutMs), request.groups, (groups) => ({
        url: `${baseUrl}/v1/rewards`,
        method: "POST",
        headers: named(new Headers({ ...shared, accept: "application/x-ndjson", "content-type": "application/json" })),
        body: JSON.stringify({ ...request, groups, deadline_ms }),
      }));
    },
    async rerank(request, options = {}) {
      const { deadline_ms, timeoutMs } = deadlines(request.kritai?.deadline_ms, options);
      const body = { model: "default", ...request, kritai: { ...request.kritai, deadline_ms } };
      return (await called(begun(options, timeoutMs), "post", "/v2/rerank", { body })) as RerankReply;
    },
    async call(method, path, ...[init]) {
      const { timeoutMs = DEADLINE_MS + MINUTE_MS, signal, ...rest } = (init ?? {}) as CallOptions;
      const call = begun(signal === undefined ? {} : { signal }, timeoutMs);
      return (await called(call, method, path, rest)) as never;
    },
  };
}

const ROUTE = /(?<=[^/:])(\/+v1(\/(rewards|verdicts|specs|runs|batches|groups|models))?)?\/*$/;

/** Without the path of a route, which other vendors' clients are given. */
function serverAddress(url: string): string {
  const bare = url.trim().replace(ROUTE, "");
  return bare === url ? bare : serverAddress(bare);
}

/** One name for all attempts of a request, by which the server knows it again. */
function named(headers: Headers): Headers {
  if (!headers.has("idempotency-key")) headers.set("idempotency-key", crypto.randomUUID());
  return headers;
}

/**
 * The server's deadline is the inner one, so that what is undecided then comes back as null rather
 * than not at all.
 */
function deadlines(asked: number | undefined, { timeoutMs }: CallOptions): { deadline_ms: number; timeoutMs: number } {
  const deadline_ms = asked ?? DEADLINE_MS;
  if (timeoutMs === undefined) return { deadline_ms, timeoutMs: deadline_ms + MINUTE_MS };
  return { deadline_ms: Math.max(DEADLINE_MS_MIN, Math.min(deadline_ms, Math.floor(0.8 * timeoutMs))), timeoutMs };
}

/** A reward is a finite number or null, one for each rollout that was sent. */
function checked({ groups }: RewardsRequest, reply: RewardsReply): RewardsReply {
  const fits = (row: unknown, g: number) =>
    Array.isArray(row) &&
    row.length === groups[g]?.rollouts.length &&
    row.every((reward) => reward === null || Number.isFinite(reward));
  if (Array.isArray(reply?.rewards) && reply.rewards.length === groups.length && reply.rewards.every(fits))
    return reply;
  throw badReply("the rewards are not one number or null a rollout", reply?.request_id ?? null);
}
