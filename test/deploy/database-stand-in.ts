// A stand-in for Neon: the embedded database behind Postgres's own protocol, for migrations, and behind Neon's
// HTTP endpoint, for the Worker. It lets every client in; Neon itself was never reached.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { readSnapshot } from "../../scripts/stack/pglite-snapshot.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";

/** A client's first bytes to ask for TLS; the reply N says that there is none. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** The end of a reply after which no transaction is open: ReadyForQuery, idle. */
const IDLE = Buffer.from([90, 0, 0, 0, 5, 73]);

export interface DatabaseStandIn {
  /** DATABASE_URL, as a person copies it. */
  url: string;
  /** The Worker's variables to find it over HTTP. */
  vars: { DATABASE_FETCH_ENDPOINT: string };
  /** The next message that matches breaks its connection, as a network does. */
  breakAt: RegExp | null;
  query(text: string): Promise<(string | null)[][]>;
  close(): Promise<void>;
}

/** Starts it empty: no table is there. */
export async function startDatabaseStandIn(): Promise<DatabaseStandIn> {
  const snapshot = await readSnapshot();
  const pg = await PGlite.create(snapshot === null ? {} : { loadDataDir: snapshot });
  let free = Promise.resolve();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    void serve(socket).catch(() => socket.destroy());
  });

  /** One session: it has the database for itself until its transaction has ended. */
  async function serve(socket: Socket): Promise<void> {
    let release: (() => void) | null = null;
    const own = async () => {
      if (release !== null) return;
      const before = free;
      const { promise, resolve } = Promise.withResolvers<void>();
      free = promise;
      await before;
      release = resolve;
    };
    try {
      for await (const message of messages(socket)) {
        if (message.equals(SSL_REQUEST)) socket.write("N");
        else if (message[0] !== "X".charCodeAt(0)) {
          await own();
          if (standIn.breakAt?.test(message.toString("latin1"))) {
            standIn.breakAt = null;
            return void socket.destroy();
          }
          const reply = Buffer.from(await pg.execProtocolRaw(new Uint8Array(message)));
          socket.write(reply);
          if (!reply.subarray(-IDLE.length).equals(IDLE)) continue;
          (release as (() => void) | null)?.();
          release = null;
        }
      }
    } finally {
      if (release !== null) {
        await pg.exec("ROLLBACK");
        (release as () => void)();
      }
    }
  }

  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const url = `postgres://somebody:secret-password@127.0.0.1:${(server.address() as AddressInfo).port}/kritai`;
  const backend = createPostgres(url);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const standIn: DatabaseStandIn = {
    url,
    vars: { DATABASE_FETCH_ENDPOINT: endpoint.url },
    breakAt: null,
    query: async (text) => (await backend.query({ query: text, params: [] })).rows,
    async close() {
      await endpoint.close();
      await backend.close();
      server.close();
      await pg.close();
    },
  };
  return standIn;
}

/** The messages of a session; the first has no letter for its kind. */
async function* messages(socket: Socket): AsyncGenerator<Buffer> {
  let buffered = Buffer.alloc(0);
  let started = false;
  for await (const chunk of socket) {
    buffered = Buffer.concat([buffered, chunk as Buffer]);
    for (;;) {
      const head = started ? 1 : 0;
      if (buffered.length < head + 4) break;
      const length = head + buffered.readUInt32BE(head);
      if (buffered.length < length) break;
      const message = buffered.subarray(0, length);
      buffered = buffered.subarray(length);
      started ||= !message.equals(SSL_REQUEST);
      yield message;
    }
  }
}
