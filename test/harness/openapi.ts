// The OpenAPI document as the tests read it: the built one.
import { readFileSync } from "node:fs";
import { buildAssets } from "../../scripts/stack/assets.ts";

interface Document {
  /** The item of each path: operations by their methods. */
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object> };
}

await buildAssets();

/** `/openapi.json` as it is served. */
export const openapi: Document = JSON.parse(
  readFileSync(new URL("../../public/openapi.json", import.meta.url), "utf8"),
);
