// Owns one run of initdb right after installing: leaves the snapshot from which every first start
// of the embedded database is quick.
import { createPglite } from "../pglite.ts";

const backend = await createPglite(null);
await backend.close();
