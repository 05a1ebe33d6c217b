// The SQL backend for a plain Postgres server: the client `pg` with array rows and unparsed values.
import { Pool, type PoolClient, type QueryArrayConfig } from "pg";
import type { SqlBackend, Statement, StatementResult } from "./sql-backend.ts";

const CONNECTIONS_MAX = 8;
const CONNECT_TIMEOUT_MS = 5_000;

const asText = { getTypeParser: () => (value: string) => value };

type Queryable = Pick<PoolClient, "query">;

async function run(client: Queryable, { query, params }: Statement): Promise<StatementResult> {
  // The extended protocol, even without parameters: several statements in one text are an error, as with
  // Neon.
  const config = { text: query, values: [...params], rowMode: "array", types: asText, queryMode: "extended" };
  const { command, rowCount, fields, rows } = await client.query(config as QueryArrayConfig);
  return {
    command: command ?? "",
    rowCount: rowCount ?? 0,
    fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })),
    rows: rows as (string | null)[][],
  };
}

/**
 * A backend for the server at `connectionString`. Connects at the first query and keeps at most 8
 * connections.
 */
export function createPostgres(connectionString: string): SqlBackend {
  const pool = new Pool({ connectionString, max: CONNECTIONS_MAX, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // A connection lost while idle is replaced at its next use. Without a listener the event would end the
  // process.
  pool.on("error", () => {});
  return {
    query: (statement) => run(pool as Queryable, statement),
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      // Queries on a lost connection reject. Without a listener the event would end the process.
      const lost = (fault: Error) => {
        broken = fault;
      };
      client.on("error", lost);
      try {
        await client.query("BEGIN");
        const result = await work({
          query: (statement) => run(client, statement),
          script: async (text) => void (await client.query(text)),
        });
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch((fault: Error) => {
          broken = fault;
        });
        throw error;
      } finally {
        client.off("error", lost);
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}
