// The database as a separate process, so that it can be killed alone: PGlite on disk behind Neon's /sql.
// Reads HOST, PORT, DATA_DIR.
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";

const { HOST = "127.0.0.1", PORT = "0", DATA_DIR = ".kritai" } = process.env;
const backend = await createPglite(DATA_DIR);
await migrate(backend);
const endpoint = await startSqlEndpoint({ host: HOST, port: Number(PORT), backend });
console.log(`ready ${endpoint.url}`);
