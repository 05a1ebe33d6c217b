// A server of known latency for the generator's own tests: it answers after a set time, and stalls when told
// to.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface KnownServer {
  url: string;
  /** Requests answered so far. */
  answered(): number;
  /**
   * Answers nothing for `ms` from now on; what came in meanwhile is answered at once when it ends.
   */
  stall(ms: number): void;
  close(): Promise<void>;
}

const REPLY = JSON.stringify({ rewards: [1], metrics: { parse_rate: 1 } });

/**
 * Answers every POST after `latency_ms` as /v1/verdicts answers one item. `stall_at`: the request
 * (from 1) that begins a stall of `stall_ms`.
 * `POST /stall?ms=N` begins one by hand.
 */
export async function startKnownServer(
  options: { latency_ms?: number; stall_at?: number; stall_ms?: number } = {},
): Promise<KnownServer> {
  const { latency_ms = 0, stall_at = 0, stall_ms = 1000 } = options;
  let [arrived, answered] = [0, 0];
  let held: ServerResponse[] | null = null;
  const answer = (response: ServerResponse) => {
    if (held !== null) {
      held.push(response);
      return;
    }
    answered++;
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(REPLY) });
    response.end(REPLY);
  };
  const stall = (ms: number) => {
    held ??= [];
    setTimeout(() => {
      const waiting = held ?? [];
      held = null;
      for (const response of waiting) answer(response);
    }, ms);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume();
    request.on("end", () => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://known");
      if (pathname === "/stall") {
        stall(Number(searchParams.get("ms")));
        return response.end();
      }
      if (++arrived === stall_at) stall(stall_ms);
      return latency_ms === 0 ? answer(response) : setTimeout(answer, latency_ms, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    stall,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (import.meta.main) {
  const { url } = await startKnownServer({
    latency_ms: Number(process.env.LATENCY_MS ?? 0),
    stall_at: Number(process.env.STALL_AT ?? 0),
    stall_ms: Number(process.env.STALL_MS ?? 1000),
  });
  console.log(`ready ${url}`);
}
