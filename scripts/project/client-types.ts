// Makes the OpenAPI document as types for the package of clients/typescript: in no commit, made where
// the document is another than the one that they were made of.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { installBeside } from "./beside.ts";
import { ROOT } from "./child.ts";

const DOCUMENT = `${ROOT}public/openapi.json`;
const TYPES = `${ROOT}clients/typescript/src/openapi.generated.ts`;
/** Without it every field that has a default would have to be sent. */
const FLAGS = ["--default-non-nullable=false"];
const ENOUGH_BYTES = 64 * 1024 * 1024;

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: ROOT, encoding: "utf8", maxBuffer: ENOUGH_BYTES });

run(process.execPath, "scripts/build/public/main.ts");
const mark = `// From the document ${createHash("sha256").update(readFileSync(DOCUMENT)).digest("hex")}.\n`;
if (!existsSync(TYPES) || !readFileSync(TYPES, "utf8").startsWith(mark)) {
  await installBeside("test");
  writeFileSync(TYPES, mark + run("test/node_modules/.bin/openapi-typescript", DOCUMENT, ...FLAGS));
}
