// HTTP server of the embedded verifier: OpenAI-compatible, on loopback.
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { stream } from "hono/streaming";
import { parsePrompt } from "../../../src/core/judges/render.ts";
import { PARTY_HEADER } from "../../../src/core/wire/chat-endpoint.ts";
import {
  type CompletionRequest,
  CompletionRequestSchema,
  chunk,
  completion,
  errorBody,
  limitAnswer,
  MODEL,
  pieces,
  usageChunk,
  userText,
} from "./completion.ts";
import { Judge, SandboxUnavailable } from "./judge.ts";
import { RunCodeSchema, runCode } from "./run-code.ts";
import { Sandbox } from "./sandbox/sandbox.ts";

const BODY_BYTES = 16 * 1_048_576;
const IN_FLIGHT_MAX = 2048;
const PARTY_CHARS = 64;
const KEEP_ALIVE_MS = 1_000;
const UNREADABLE =
  "The message is not a question between [QUESTION] tags followed by lettered candidate blocks. No choice is made.";

export interface CpuVerifierOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Number of sandboxed processes; see SandboxOptions. */
  workers?: number;
}

export interface CpuVerifier {
  /** `http://HOST:PORT`, without a path. */
  url: string;
  /** Stops the interpreters and the server. Open requests are aborted. */
  close(): Promise<void>;
}

/**
 * Starts the server. The interpreters load in the background, and the first answers wait for them. Rejects if
 * the port is in use.
 */
export async function startCpuVerifier(options: CpuVerifierOptions = {}): Promise<CpuVerifier> {
  const host = options.host ?? "127.0.0.1";
  const sandbox = new Sandbox(options.workers === undefined ? {} : { workers: options.workers });
  const app = createVerifierApp(new Judge(sandbox), sandbox);
  const server = serve({ fetch: app.fetch, hostname: host, port: options.port ?? 0 }) as Server;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("listening", resolve);
      server.once("error", reject);
    });
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, sandbox.close()]);
    },
  };
}

/** The routes, without a socket. */
export function createVerifierApp(judge: Judge, sandbox: Pick<Sandbox, "workers" | "runPlans" | "refusedMs">): Hono {
  const app = new Hono();
  // Any local caller may run programs, but web pages may not, because other people wrote them.
  app.use((c, next) =>
    c.req.header("origin") === undefined && c.req.header("sec-fetch-site") === undefined
      ? next()
      : Promise.resolve(
          c.json(errorBody("requests from web pages are refused", "invalid_request_error", "forbidden"), 403),
        ),
  );
  const requests = new Requests(sandbox);
  app.get("/health", (c) => {
    const { total, warm, broken } = sandbox.workers;
    return c.json({ status: broken === total ? "failed" : "ok", workers: total, warm }, broken === total ? 503 : 200);
  });
  app.get("/v1/models", (c) =>
    c.json({ object: "list", data: [{ id: MODEL, object: "model", created: 0, owned_by: "kritai" }] }),
  );
  const tooLarge = (c: Context) =>
    c.json(errorBody(`the body is larger than ${BODY_BYTES} bytes`, "invalid_request_error"), 413);
  const tooMany = (c: Context, wait_ms: number) => {
    const body = errorBody("too many requests to run in time", "rate_limit_error", "overloaded");
    return c.json(body, 429, { "Retry-After": `${Math.ceil(wait_ms / 1000)}` });
  };
  app.post("/v1/chat/completions", bodyLimit({ maxSize: BODY_BYTES, onError: tooLarge }), async (c) => {
    const request = await readRequest(c);
    if (request instanceof Response) return request;
    const entry = requests.enter(partyOf(c));
    if (typeof entry === "number") return tooMany(c, entry);
    const { done } = entry;
    return request.stream ? streamed(c, judge, request, done) : whole(c, judge, request, done);
  });
  app.get("/v1/ping", (c) => c.json("pong"));
  app.post("/run_code", bodyLimit({ maxSize: BODY_BYTES, onError: tooLarge }), async (c) => {
    const parsed = RunCodeSchema.safeParse(await c.req.json().catch(() => undefined));
    // The same status as FastAPI for a body that does not match the schema.
    if (!parsed.success)
      return c.json({ detail: parsed.error.issues.map(({ path, message }) => ({ path, message })) }, 422);
    const entry = requests.enter(partyOf(c));
    if (typeof entry === "number") return tooMany(c, entry);
    return c.json(await runCode(sandbox, parsed.data, c.req.raw.signal, partyOf(c)).finally(entry.done));
  });
  app.notFound((c) => c.json(errorBody("no such route", "invalid_request_error", "not_found"), 404));
  app.onError((_, c) => c.json(errorBody("internal error", "server_error", "internal"), 500));
  return app;
}

/** The tenant named in the edge's header; undefined without the header. */
const partyOf = (c: Context): string | undefined => c.req.header(PARTY_HEADER)?.slice(0, PARTY_CHARS) || undefined;

/** Counts the requests in flight, so that no tenant can take every slot. */
class Requests {
  readonly #sandbox: Pick<Sandbox, "refusedMs">;
  readonly #byParty = new Map<string, number>();
  #all = 0;

  constructor(sandbox: Pick<Sandbox, "refusedMs">) {
    this.#sandbox = sandbox;
  }

  /**
   * Admits a request, or returns the ms after which to try again. A tenant may have at most as many requests
   * as there are free slots, so that a new tenant always finds some (dynamic thresholds: Choudhury and Hahne,
   * 1998).
   */
  enter(tenant = ""): { done: () => void } | number {
    const inFlight = this.#byParty.get(tenant) ?? 0;
    const free = IN_FLIGHT_MAX - this.#all;
    if (free <= 0 || (tenant !== "" && inFlight >= free)) return 1_000;
    const wait = tenant === "" ? 0 : this.#sandbox.refusedMs(tenant);
    if (wait > 0) return wait;
    this.#byParty.set(tenant, inFlight + 1);
    this.#all++;
    return { done: () => this.#leave(tenant) };
  }

  #leave(tenant: string): void {
    const left = (this.#byParty.get(tenant) ?? 0) - 1;
    this.#all--;
    if (left > 0) this.#byParty.set(tenant, left);
    else this.#byParty.delete(tenant);
  }
}

/** The parsed request, or an error response. */
async function readRequest(c: Context): Promise<CompletionRequest | Response> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (body === undefined) return c.json(errorBody("the body is not JSON", "invalid_request_error"), 400);
  const parsed = CompletionRequestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const param = issue?.path.join(".") ?? null;
    return c.json(errorBody(`${param}: ${issue?.message}`, "invalid_request_error", null, param), 400);
  }
  const { model } = parsed.data;
  if (model !== undefined && model !== MODEL) {
    return c.json(
      errorBody(`unknown model; the only model is ${MODEL}`, "invalid_request_error", "model_not_found", "model"),
      404,
    );
  }
  return parsed.data;
}

/** The verifier's answer to a request, or a sentence that says why the prompt cannot be read. */
async function answerTo(judge: Judge, request: CompletionRequest, signal: AbortSignal, c: Context): Promise<string> {
  const text = userText(request);
  const start = text.indexOf("[QUESTION]\n");
  const prompt = start < 0 ? null : parsePrompt(text.slice(start));
  return prompt === null ? UNREADABLE : judge.answer(prompt, signal, partyOf(c));
}

const newHead = () => ({ id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000) });

function errorOf(error: unknown): object {
  const message =
    error instanceof SandboxUnavailable ? `the sandbox is not available: ${error.message}` : "internal error";
  return errorBody(message, "server_error", error instanceof SandboxUnavailable ? "unavailable" : "internal");
}

async function whole(c: Context, judge: Judge, request: CompletionRequest, done: () => void): Promise<Response> {
  try {
    const text = await answerTo(judge, request, c.req.raw.signal, c);
    return c.json(completion(newHead(), limitAnswer(request, text)));
  } catch (error) {
    return c.json(errorOf(error), error instanceof SandboxUnavailable ? 503 : 500);
  } finally {
    done();
  }
}

/**
 * Sends the headers and the role chunk immediately, so that the caller's connection slot is free while
 * programs run.
 */
function streamed(c: Context, judge: Judge, request: CompletionRequest, done: () => void): Response {
  const head = newHead();
  c.header("Content-Type", "text/event-stream; charset=utf-8");
  c.header("Cache-Control", "no-cache");
  return stream(c, async (out) => {
    const stop = new AbortController();
    out.onAbort(() => stop.abort());
    const send = (event: object) => out.write(`data: ${JSON.stringify(event)}\n\n`);
    const keepAlive = setInterval(() => void out.write(": keep-alive\n\n"), KEEP_ALIVE_MS);
    try {
      await send(chunk(head, { role: "assistant", content: "" }));
      const text = await answerTo(judge, request, stop.signal, c);
      const answer = limitAnswer(request, text);
      for (const piece of pieces(answer.text)) await send(chunk(head, { content: piece }));
      await send(chunk(head, {}, answer.finish_reason));
      if (request.stream_options?.include_usage) await send(usageChunk(head, answer));
      await out.write("data: [DONE]\n\n");
    } catch (error) {
      if (!stop.signal.aborted) await send(errorOf(error));
    } finally {
      clearInterval(keepAlive);
      done();
    }
  });
}
