// Holds what the container's front changes of a connection: the Host that a health check of HTTP/1.0
// lacks, and no other byte.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFront } from "../../scripts/stack/front.ts";

const CASES: readonly [sent: string, received: string][] = [
  ["GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.0\r\nHost: kritai\r\n\r\n"],
  ["OPTIONS / HTTP/1.0\r\nA: b\r\n\r\n", "OPTIONS / HTTP/1.0\r\nHost: kritai\r\nA: b\r\n\r\n"],
  [
    "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n\nHost: é",
    "POST / HTTP/1.0\r\nHost: kritai\r\nContent-Length: 9\r\n\r\n\nHost: é",
  ],
  ...[
    "GET /healthz HTTP/1.0\r\nhost: a\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "no HTTP \u0000 at all",
    "",
  ].map((same): [string, string] => [same, same]),
];

describe("the front", () => {
  let [inside, port] = [undefined as Server | undefined, 0];

  /** Answers each connection with what it has received when it is at its end. */
  beforeAll(async () => {
    inside = createServer({ allowHalfOpen: true }, async (socket) => {
      socket.end(Buffer.concat(await socket.toArray()));
    }).listen(0, "127.0.0.1");
    const free = createServer().listen(0, "127.0.0.1");
    await Promise.all([once(inside, "listening"), once(free, "listening")]);
    port = (free.address() as AddressInfo).port;
    await new Promise((resolve) => free.close(resolve));
    const front = await startFront({ host: "127.0.0.1", port }, (inside.address() as AddressInfo).port);
    afterAll(() => {
      front.refuse();
      inside?.close();
    });
  });

  it.each(CASES)("passes %j on as %j", async (sent, received) => {
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.end(sent);
    expect(Buffer.concat(await client.toArray()).toString()).toBe(received);
  });
});
