// Asks the gateway's own HTTP server over connections in memory: no port, no kernel buffers, so that a reader
// who waits is felt at once.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { duplexPair, Readable } from "node:stream";
import { createGatewayServer, type GatewayOptions } from "../../gpu-backend/gateway/http/server.ts";
import type { FakePool } from "./fake-pool.ts";

/** The gateway without a socket, asked under a loopback name unless the headers name a host. */
export function inProcess(pool: FakePool, more: Partial<GatewayOptions> = {}) {
  const { server, admission } = createGatewayServer({ pool, ...more });
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const [near, far] = duplexPair();
    server.emit("connection", far);
    const headers = { host: "localhost", ...(init.headers as Record<string, string> | undefined) };
    // biome-ignore lint/suspicious/noExplicitAny: node:http takes any duplex stream, its types only sockets.
    const sent = httpRequest({ path, method: init.method ?? "GET", headers, createConnection: () => near as any });
    // A body that is refused half-way is not sent to its end.
    sent.on("error", () => {});
    sent.end(init.body ?? undefined);
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    const body = Readable.toWeb(reply, { strategy: { highWaterMark: 0 } }) as ReadableStream<Uint8Array>;
    return new Response(reply.statusCode === 204 ? null : body, {
      status: reply.statusCode ?? 0,
      headers: reply.headers as Record<string, string>,
    });
  };
  return { admission, ask };
}
