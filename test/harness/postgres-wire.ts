// A Postgres server over the embedded database: its wire protocol on a loopback port, so that what speaks to
// any Postgres is tested where none is. One transaction at a time; no password.

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";

const SSL_REQUEST = 80_877_103;

export interface PostgresServer {
  url: string;
  close(): Promise<void>;
}

/** In memory, and empty. */
export async function startPostgres(): Promise<PostgresServer> {
  const db = await PGlite.create();
  /** The end of whoever has the database now. */
  let turn: Promise<void> = Promise.resolve();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}));
    void serve(socket, db, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = turn;
      turn = promise;
      await before;
      return resolve;
    }).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `postgres://test@127.0.0.1:${(server.address() as AddressInfo).port}/test`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await db.close();
    },
  };
}

const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

const GREETING = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("S", Buffer.from("server_version\x0016.0\0")),
  message("S", Buffer.from("client_encoding\0UTF8\0")),
  message("K", Buffer.alloc(8)),
  message("Z", Buffer.from("I")),
]);

/**
 * One client's messages, handed over from Sync or Flush to the next; the turn is held while a transaction is
 * open.
 */
async function serve(socket: Socket, db: PGlite, takeTurn: () => Promise<() => void>): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  let greeted = false;
  let part: Buffer[] = [];
  let release: (() => void) | null = null;
  try {
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      for (;;) {
        const head = greeted ? 1 : 0;
        if (rest.length < head + 4 || rest.length < head + rest.readInt32BE(head)) break;
        const size = head + rest.readInt32BE(head);
        const taken = rest.subarray(0, size);
        rest = rest.subarray(size);
        if (!greeted) {
          const secure = taken.readInt32BE(4) === SSL_REQUEST;
          socket.write(secure ? "N" : GREETING);
          greeted = !secure;
          continue;
        }
        const type = String.fromCharCode(taken[0] as number);
        if (type === "X") return void socket.end();
        part.push(taken);
        const flushed = type === "H";
        if (type !== "S" && type !== "Q" && !flushed) continue;
        release ??= await takeTurn();
        const reply = await db.execProtocolRaw(Buffer.concat(part), { syncToFs: false });
        part = [];
        socket.write(reply);
        // The last message is ReadyForQuery, and its last byte says whether a transaction is open.
        if (!flushed && reply.at(-1) === "I".charCodeAt(0)) {
          release();
          release = null;
        }
      }
    }
  } finally {
    if (release !== null) await db.exec("ROLLBACK").catch(() => {});
    release?.();
  }
}
