// The Worker that benchmarks the two ways to a database: statements over Neon's HTTP driver, and over a
// native driver on a Hyperdrive binding.
import postgres from "postgres";
import { openDatabase } from "../../src/run-log/db/connection.ts";

interface Env {
  SQL_URL: string;
  HYPERDRIVE: { connectionString: string };
}
export interface Asked {
  way: "http" | "native";
  /** Run at the same time, as a page's reads are. */
  statements: readonly { query: string; params: readonly (string | null)[] }[];
}

/** A Worker's connections to one host at a time, without types to be fetched first. */
const CONNECTIONS_MAX = 5;
const TIMEOUT_MS = 60_000;

export default {
  async fetch(request: Request, { SQL_URL, HYPERDRIVE }: Env, context: { waitUntil(work: Promise<unknown>): void }) {
    const { way, statements } = (await request.json()) as Asked;
    if (way === "http") {
      const { $client } = openDatabase({ databaseUrl: "", fetchEndpoint: SQL_URL }, TIMEOUT_MS) as unknown as {
        $client: { query(text: string, params: readonly unknown[]): Promise<unknown[]> };
      };
      const rows = await Promise.all(statements.map(({ query, params }) => $client.query(query, params)));
      return Response.json(rows.map(({ length }) => length));
    }
    const sql = postgres(HYPERDRIVE.connectionString, { max: CONNECTIONS_MAX, fetch_types: false });
    const rows = await Promise.all(statements.map(({ query, params }) => sql.unsafe(query, [...params])));
    context.waitUntil(sql.end());
    return Response.json(rows.map(({ length }) => length));
  },
};
