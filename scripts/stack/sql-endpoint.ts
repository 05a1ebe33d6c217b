// A loopback HTTP endpoint that serves Neon's /sql protocol for any backend.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ERROR_FIELDS, isPostgresError, type SqlBackend, type Statement, type StatementResult } from "./sql-backend.ts";

/** Maximum size of a request's body. */
export const SQL_BODY_BYTES_MAX = 64 * 1024 * 1024;
const STATEMENTS_MAX = 1_000;

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

export interface SqlEndpoint {
  /** `http://HOST:PORT/sql`, for the driver's fetchEndpoint. */
  url: string;
  /** Stops listening and waits for requests in flight. The backend stays open. */
  close(): Promise<void>;
}

/**
 * Serves `backend` on a loopback host; port 0 selects a free one. Throws TypeError for any other host,
 * because the endpoint has no password.
 */
export async function startSqlEndpoint(options: {
  host: string;
  port: number;
  backend: SqlBackend;
}): Promise<SqlEndpoint> {
  const { host, port, backend } = options;
  if (!LOOPBACK.has(host)) throw new TypeError("the SQL endpoint has no password and listens on a loopback host only");
  const server = createServer((request, response) => void answer(backend, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}/sql`, close: () => stop(server) };
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** An error in the request: a status and a message for the driver. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(backend: SqlBackend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = await outcome(backend, request);
  const text = JSON.stringify(body);
  // Otherwise the unread body would be parsed as the next request.
  if (status === 413) response.setHeader("connection", "close");
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}

async function outcome(backend: SqlBackend, request: IncomingMessage): Promise<[number, object]> {
  try {
    admit(request);
    const parsed = statements(await readBody(request));
    if ("single" in parsed) return [200, reply(await backend.query(parsed.single))];
    return [200, { results: (await batch(backend, parsed.batch, request)).map(reply) }];
  } catch (error) {
    if (error instanceof Refusal) return [error.status, { message: error.message }];
    if (!isPostgresError(error)) return [500, { message: "the local database failed" }];
    const fields = ERROR_FIELDS.filter((field) => error[field] !== undefined).map((field) => [field, error[field]]);
    return [400, { message: error.message, ...Object.fromEntries(fields) }];
  }
}

// Requiring the driver's header blocks web pages: a browser would need a CORS preflight, which fails.
function admit(request: IncomingMessage): void {
  if (new URL(request.url ?? "", "http://local").pathname !== "/sql")
    throw new Refusal(404, "not found; use POST /sql");
  if (request.method !== "POST") throw new Refusal(405, "method not allowed; use POST /sql");
  if (request.headers["neon-connection-string"] === undefined)
    throw new Refusal(400, "the header Neon-Connection-String is missing");
}

async function readBody(request: IncomingMessage): Promise<string> {
  const tooLarge = () => new Refusal(413, `the body exceeds the limit of ${SQL_BODY_BYTES_MAX} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > SQL_BODY_BYTES_MAX) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  // The stream is not destroyed on exit, or the error could not be sent.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > SQL_BODY_BYTES_MAX) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The request's statements. Ignores the content type, which the driver does not set. */
function statements(body: string): { single: Statement } | { batch: Statement[] } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal(400, "the body is not JSON");
  }
  const queries = (value as { queries?: unknown } | null)?.queries;
  if (queries === undefined) return { single: statement(value) };
  if (!Array.isArray(queries)) throw new Refusal(400, "queries must be an array");
  if (queries.length > STATEMENTS_MAX) throw new Refusal(400, `more than ${STATEMENTS_MAX} statements in a batch`);
  return { batch: queries.map(statement) };
}

function statement(value: unknown): Statement {
  const { query, params = [] } = (value ?? {}) as { query?: unknown; params?: unknown };
  if (typeof query !== "string") throw new Refusal(400, "query must be a string");
  const textual = Array.isArray(params) && params.every((param) => param === null || typeof param === "string");
  if (!textual) throw new Refusal(400, "params must be an array of strings and nulls");
  return { query, params };
}

const ISOLATION: Readonly<Record<string, string>> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

function transactionModes(headers: IncomingMessage["headers"]): string[] {
  const modes: string[] = [];
  const isolation = headers["neon-batch-isolation-level"];
  if (isolation !== undefined) {
    const level = ISOLATION[`${isolation}`];
    if (level === undefined) throw new Refusal(400, "unknown Neon-Batch-Isolation-Level");
    modes.push(`ISOLATION LEVEL ${level}`);
  }
  if (headers["neon-batch-read-only"] === "true") modes.push("READ ONLY");
  if (headers["neon-batch-deferrable"] === "true") modes.push("DEFERRABLE");
  return modes;
}

function batch(backend: SqlBackend, queries: Statement[], { headers }: IncomingMessage): Promise<StatementResult[]> {
  const modes = transactionModes(headers);
  return backend.transaction(async (session) => {
    if (modes.length > 0) await session.script(`SET TRANSACTION ${modes.join(", ")}`);
    const results: StatementResult[] = [];
    for (const query of queries) results.push(await session.query(query));
    return results;
  });
}

function reply({ command, rowCount, fields, rows }: StatementResult): object {
  return { command, rowCount, fields, rows, rowAsArray: true };
}
