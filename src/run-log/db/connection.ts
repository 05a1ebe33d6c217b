// Connects to the database with drizzle over Neon's HTTP driver: sets the endpoint and the time limit, and
// keeps internals out of errors.
import { NeonDbError, neon, neonConfig } from "@neondatabase/serverless";
import { sql } from "drizzle-orm";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { ApiError } from "../../core/faults/errors.ts";
import { timeoutSignal } from "../../platform/clock.ts";
import type { Clock } from "../../ports/ports.ts";
import { StoreWriteError } from "./store-write-error.ts";

export interface StoreConfig {
  /** `postgres://…` URL of the Neon database. */
  databaseUrl: string;
  /** A loopback `http://HOST:PORT/sql` that speaks Neon's protocol; databaseUrl is then not sent anywhere. */
  fetchEndpoint?: string | undefined;
  clock: Clock;
}

export type Database = NeonHttpDatabase;

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

const neonEndpoint = neonConfig.fetchEndpoint;

// The driver's endpoint is a global setting. It is set once, to a function of the connection's host, so that
// clients cannot affect one another.
neonConfig.fetchEndpoint = (host, port, options) => {
  if (LOOPBACK_HOST.test(host)) return `http://${host}:${port}/sql`;
  return typeof neonEndpoint === "function" ? neonEndpoint(host, port, options) : neonEndpoint;
};

function connectionString({ databaseUrl, fetchEndpoint }: Omit<StoreConfig, "clock">): string {
  if (fetchEndpoint === undefined) return databaseUrl;
  const url = new URL(fetchEndpoint);
  if (url.protocol !== "http:" || !LOOPBACK_HOST.test(url.hostname) || url.pathname !== "/sql" || url.port === "") {
    throw new TypeError("fetchEndpoint must be http://HOST:PORT/sql on a loopback host");
  }
  return `postgres://local:local@${url.host}/local`;
}

/**
 * Creates a client that limits each call, including reading the response body, to `timeout_ms`. Opens no
 * connection until the first call.
 */
export function openDatabase(config: Omit<StoreConfig, "clock">, timeout_ms: number): Database {
  const fetchOptions = {
    // The driver spreads these options into each fetch, so each call gets its own AbortSignal.
    get signal() {
      return timeoutSignal(timeout_ms);
    },
  };
  return drizzle({ client: neon(connectionString(config), { fetchOptions }) });
}

/**
 * Sent in the same batch before a query over many tables, because JIT-compiling such a query takes longer
 * than running it.
 */
export const WITHOUT_JIT = sql`SET LOCAL jit = off`;

/**
 * The SQLSTATE of an error, thrown either by the driver (batches) or wrapped by drizzle; null if the error is
 * not from SQL.
 */
function sqlState(error: unknown): string | null {
  const wrapped = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return wrapped instanceof NeonDbError && /^[0-9A-Z]{5}$/.test(wrapped.code ?? "") ? (wrapped.code as string) : null;
}

/** SQLSTATEs of a missing table or column, and of a refused login or unknown database. */
const NOT_MIGRATED = ["42P01", "42703"];
const NOT_LET_IN = ["28000", "28P01", "3D000"];

/** Whether the database answered but lacks a migration. */
export const isNotMigrated = (error: unknown): boolean => NOT_MIGRATED.includes(sqlState(error) ?? "");

/** Describes a database error without revealing internals. */
function storeFault(error: unknown): string {
  if (isNotMigrated(error)) return "The database of the run log is not migrated. Run npm run migrate.";
  if (NOT_LET_IN.includes(sqlState(error) ?? "")) {
    return "The run log's database rejects the user, password or database name in DATABASE_URL.";
  }
  return "The run log's database did not answer as it should.";
}

/** Runs a read. Throws ApiError `store_unavailable`, without internals, for any database error. */
export async function reading<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("store_unavailable", storeFault(error));
  }
}

/** Runs a write. Throws StoreWriteError for any database error. */
export async function writing<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StoreWriteError(sqlState(error));
  }
}
