// The HTTP connection to one engine: URLs, headers and keep-alive sockets. Independent of what is sent.
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
  validateHeaderValue,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { apiRoot, authorization } from "../../../src/core/wire/chat-endpoint.ts";
import { withTimeout } from "../../../src/platform/waiting.ts";
import type { Timers } from "../../../src/ports/ports.ts";

/** Idle sockets kept per engine: the maximum number of generations in flight. */
const IDLE_SOCKETS_MAX = 4_096;
/** Bodies up to this size are copied into one buffer, which is written faster than several. */
const COPIED_BYTES_MAX = 16_384;
/** Maximum size of a page. */
const PAGE_BYTES_MAX = 4 * 1_048_576;

/** A small response, read completely. */
export interface Page {
  status: number;
  text: string;
}

/**
 * The HTTP client of one engine. Uses node:http instead of fetch: a generation needs about half the CPU, and
 * the agent opens as many connections as required.
 */
export class EngineAddress {
  /** Host, port and the path before the API version: the engine's name in metrics. */
  readonly label: string;
  /** Request paths. `/health`, `/metrics` and `/abort_request` are next to the API version, not below it. */
  readonly completions: string;
  readonly textCompletions: string;
  readonly models: string;
  readonly #beside: string;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #send: typeof httpRequest;
  readonly #options: RequestOptions;
  readonly #headers: Record<string, string>;
  readonly #timers: Timers;

  /** @param url see `apiRoot`. @throws TypeError if the URL is invalid */
  constructor(url: string, apiKey: string | null, timers: Timers) {
    const root = new URL(apiRoot(url));
    const secure = root.protocol === "https:";
    this.completions = `${root.pathname}/chat/completions`;
    this.textCompletions = `${root.pathname}/completions`;
    this.models = `${root.pathname}/models`;
    this.#beside = root.pathname.replace(/\/v\d\w*$/, "");
    this.label = root.host + this.#beside;
    this.#send = secure ? httpsRequest : httpRequest;
    const settings = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: IDLE_SOCKETS_MAX };
    this.#agent = secure ? new HttpsAgent(settings) : new HttpAgent(settings);
    this.#options = { hostname: root.hostname.replace(/^\[|\]$/g, ""), port: root.port || (secure ? 443 : 80) };
    this.#headers = authorization(apiKey);
    this.#timers = timers;
    for (const [name, value] of Object.entries(this.#headers)) validateHeaderValue(name, value);
  }

  /** A path next to the API version, e.g. `/health`. */
  beside(path: string): string {
    return this.#beside + path;
  }

  /** Posts a JSON body, in pieces. The caller must listen for `response` and `error`. */
  post(path: string, body: readonly Uint8Array[]): ClientRequest {
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const headers = {
      ...this.#headers,
      "content-type": "application/json",
      "content-length": length,
      accept: "text/event-stream, application/json",
    };
    const request = this.#send({ ...this.#options, agent: this.#agent, method: "POST", path, headers });
    // Long pieces are not copied, because other requests hold the same bytes.
    if (length <= COPIED_BYTES_MAX) return request.end(Buffer.concat(body, length));
    for (const piece of body) request.write(piece);
    return request.end();
  }

  /** Posts a JSON body without waiting for the reply. */
  notify(path: string, body: string): void {
    const request = this.post(path, [Buffer.from(body)]);
    request.on(
      "close",
      this.#timers.after(LIMITS.readiness_timeout_ms, () => request.destroy()),
    );
    request.on("error", () => {});
    request.on("response", (response) => response.on("error", () => {}).resume());
  }

  /** Reads a small page. Rejects on a connection error or a timeout. */
  get(path: string, timeout_ms: number): Promise<Page> {
    return withTimeout(this.#timers, timeout_ms, (signal) => this.#get(path, signal));
  }

  #get(path: string, signal: AbortSignal): Promise<Page> {
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    const headers = this.#headers;
    const request = this.#send({ ...this.#options, agent: this.#agent, method: "GET", path, headers, signal });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("error", reject);
      response.on("data", (piece: string) => {
        text += piece;
        if (text.length > PAGE_BYTES_MAX) request.destroy(new Error("page too long"));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.end();
    return promise;
  }

  /** Closes every connection. */
  close(): void {
    this.#agent.destroy();
  }
}
