// A scripted OpenAI-compatible server for tests: one behaviour per request, a log, counters, events. Must not
// know the adapter under test.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The request body as far as scripts look at it. */
export interface MockBody {
  model: string;
  messages: { role: string; content: string }[];
  seed: number;
  stream: boolean;
  [field: string]: unknown;
}

export interface MockRequest {
  body: MockBody;
  /** 1 for the first request with this body, 2 for its first retry, .. */
  attempt: number;
  /** 0-based over all questions. */
  index: number;
}

/**
 * One request as seen by the server. `end`: how it ended, `client_closed` when the client broke it
 * off.
 */
export interface MockEntry extends MockRequest {
  headers: IncomingMessage["headers"];
  status: number | null;
  end: "pending" | "finished" | "client_closed" | "broken";
}

/**
 * What to do with one request. Promises are gates: the server waits for them, never for a timer.
 */
export type Behaviour = (reply: Reply) => void | Promise<void>;
export type Script = (request: MockRequest) => Behaviour;

export interface MockCounters {
  open: number;
  open_max: number;
  waiting_for_headers: number;
  waiting_for_headers_max: number;
  client_closed: number;
  connections: number;
}

/** One reply in the making, with the counters kept right. */
export class Reply {
  readonly #response: ServerResponse;
  readonly #entry: MockEntry;
  readonly #onHeaders: () => void;
  /** Settled once the last write has left for the kernel. */
  #flushed: Promise<void> = Promise.resolve();

  constructor(response: ServerResponse, entry: MockEntry, onHeaders: () => void) {
    this.#response = response;
    this.#entry = entry;
    this.#onHeaders = onHeaders;
  }

  head(status: number, headers: Record<string, string>): void {
    this.#entry.status = status;
    this.#onHeaders();
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
  }

  write(text: string | Uint8Array): void {
    this.#flushed = new Promise((resolve) => this.#response.write(text, () => resolve()));
  }

  end(text?: string): void {
    this.#entry.end = "finished";
    this.#response.end(text);
  }

  /** Status, headers and body in one packet. */
  whole(status: number, headers: Record<string, string>, text: string): void {
    this.#entry.status = status;
    this.#entry.end = "finished";
    this.#onHeaders();
    this.#response.writeHead(status, headers);
    this.#response.end(text);
  }

  /** Resets the connection, once what was written has left. */
  async reset(): Promise<void> {
    this.#entry.end = "broken";
    await this.#flushed;
    this.#response.socket?.resetAndDestroy();
  }
}

export interface MockOptions {
  /** Names in `/v1/models`; null: the server has no such route. */
  models?: readonly string[] | null;
  /** Off for large runs: then entries keep no bodies and every attempt is 1. */
  keep_bodies?: boolean;
  /** Answers `/v1/models` and `/health` with this status. */
  health_status?: number;
  /** Where questions are posted; default `/v1/chat/completions`. */
  question_path?: string;
  /** Further pages, by path. */
  pages?: Readonly<Record<string, { status: number; body: unknown }>>;
}

/** The server. Start it with `startMockVerifier`, end it with `close`. */
export class MockVerifier {
  readonly log: MockEntry[] = [];
  readonly counters: MockCounters = {
    open: 0,
    open_max: 0,
    waiting_for_headers: 0,
    waiting_for_headers_max: 0,
    client_closed: 0,
    connections: 0,
  };
  script: Script;
  readonly #options: MockOptions;
  readonly #server: Server;
  readonly #attempts = new Map<string, number>();
  readonly #watchers = new Set<() => void>();

  constructor(script: Script, options: MockOptions) {
    this.script = script;
    this.#options = options;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => this.#route(request, Buffer.concat(parts).toString(), response));
    });
    this.#server.on("connection", () => {
      this.counters.connections++;
    });
  }

  /** Without `/v1`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", () => resolve(this));
    });
  }

  /** Ends every connection and the server. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /**
   * Resolves as soon as the condition holds; looked at whenever a request arrives, gets headers or
   * ends.
   */
  until(condition: (mock: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition(this)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }

  #route(request: IncomingMessage, text: string, response: ServerResponse): void {
    const { question_path = "/v1/chat/completions", pages = {} } = this.#options;
    if (request.method === "POST" && request.url === question_path) {
      this.#question(request, text, response);
      return;
    }
    const page = pages[request.url ?? ""];
    if (page !== undefined) {
      response.writeHead(page.status, { "content-type": "application/json" });
      response.end(JSON.stringify(page.body));
      return;
    }
    const { models = ["mock-model"], health_status = 200 } = this.#options;
    const known = request.url === "/health" || (request.url === "/v1/models" && models !== null);
    response.writeHead(known ? health_status : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data: (models ?? []).map((id) => ({ id, object: "model" })) }));
  }

  #question(request: IncomingMessage, text: string, response: ServerResponse): void {
    const { counters } = this;
    const keep = this.#options.keep_bodies ?? true;
    const body = JSON.parse(text) as MockBody;
    const attempt = keep ? (this.#attempts.get(text) ?? 0) + 1 : 1;
    if (keep) this.#attempts.set(text, attempt);
    const question = { body, attempt, index: this.log.length };
    const entry: MockEntry = { ...question, headers: request.headers, status: null, end: "pending" };
    if (!keep) entry.body = { ...body, messages: [] };
    this.log.push(entry);
    counters.open_max = Math.max(counters.open_max, ++counters.open);
    counters.waiting_for_headers_max = Math.max(counters.waiting_for_headers_max, ++counters.waiting_for_headers);
    const headersSent = () => {
      counters.waiting_for_headers--;
      this.#changed();
    };
    response.on("close", () => {
      counters.open--;
      if (entry.status === null) counters.waiting_for_headers--;
      if (entry.end === "pending") {
        entry.end = "client_closed";
        counters.client_closed++;
      }
      this.#changed();
    });
    this.#changed();
    void this.script(question)(new Reply(response, entry, headersSent));
  }
}

/** A mock on a free loopback port. */
export function startMockVerifier(script: Script, options: MockOptions = {}): Promise<MockVerifier> {
  return new MockVerifier(script, options).listen();
}
