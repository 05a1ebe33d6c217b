// Generates the types of clients/typescript from the OpenAPI document, if the document has changed. The file
// is not committed.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { installBeside } from "./beside.ts";
import { ROOT } from "./child.ts";

const DOCUMENT = `${ROOT}public/openapi.json`;
const TYPES = `${ROOT}clients/typescript/src/openapi.generated.ts`;
/** Without this flag the client would have to send every field that has a default. */
const FLAGS = ["--default-non-nullable=false"];
const ENOUGH_BYTES = 64 * 1024 * 1024;

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: ROOT, encoding: "utf8", maxBuffer: ENOUGH_BYTES });

run(process.execPath, "scripts/build/public/main.ts");
const mark = `// Generated from public/openapi.json, SHA-256 ${createHash("sha256").update(readFileSync(DOCUMENT)).digest("hex")}.\n`;
if (!existsSync(TYPES) || !readFileSync(TYPES, "utf8").startsWith(mark)) {
  await installBeside("test");
  writeFileSync(TYPES, mark + run("test/node_modules/.bin/openapi-typescript", DOCUMENT, ...FLAGS));
}
