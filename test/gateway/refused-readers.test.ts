// A request that is refused, and whose reader goes before it has the refusal, touches nothing else:
// a gateway under load meets many.
import { once } from "node:events";
import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { createGatewayServer } from "../../gpu-backend/gateway/http/server.ts";
import { FakePool } from "./fake-pool.ts";
import { group, pairs, request } from "./requests.ts";

/** A connection on which everything has come and nothing leaves. */
function deafConnection(text: string): { socket: Duplex; answered: Promise<void> } {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const socket = new Duplex({ read() {}, write: () => resolve(), writev: () => resolve() });
  socket.push(text);
  return { socket, answered };
}

describe("a reader that goes with its refusal", () => {
  it("ends no more than its own connection", async () => {
    const pool = new FakePool(1);
    const { server, admission } = createGatewayServer({ pool, queue_tokens_max: 1 });
    const body = JSON.stringify(request([group("g", 3, pairs(3))]));
    const head = "POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    const text = `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const first = deafConnection(text);
    server.emit("connection", first.socket);
    await first.answered;
    expect(admission.jobs.size).toBe(1);

    const second = deafConnection(text);
    server.emit("connection", second.socket);
    await second.answered;
    second.socket.destroy();
    await once(second.socket, "close");
    expect(admission.jobs.size).toBe(1);
    expect(pool.calls).toHaveLength(1);

    first.socket.destroy();
    await once(first.socket, "close");
    expect(admission.jobs.size).toBe(0);
    expect(pool.calls.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
