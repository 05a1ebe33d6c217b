// `npm run generate [-- NAME]`: writes generated files from their sources, all of them or by name.
import { installBeside } from "./beside.ts";
import { runToEnd } from "./child.ts";
import { partOf } from "./parts.ts";

export const GENERATED = {
  call: "npm run generate --",
  description: "Without a name: generates prompts, programs and public.",
  names: {
    prompts: "src/core/judges/templates.generated.ts",
    programs: "src/core/wire/programs.generated.ts",
    public: "public/: the OpenAPI document and the pages",
    client: "clients/typescript/src/openapi.generated.ts; the first use installs packages",
    migration: "the next file of migrations/, from src/run-log/db; the first use installs packages",
  },
} as const;

type Name = keyof typeof GENERATED.names;

const RUN: Record<Exclude<Name, "migration">, string> = {
  prompts: "scripts/build/prompts.ts",
  programs: "scripts/build/programs.ts",
  public: "scripts/build/public/main.ts",
  client: "scripts/project/client-types.ts",
};

async function generate(name: Name): Promise<number> {
  if (name !== "migration") return runToEnd(process.execPath, [RUN[name]]);
  await installBeside("test");
  return runToEnd("test/node_modules/.bin/drizzle-kit", ["generate"]);
}

if (import.meta.main) {
  const asked = process.argv.slice(2);
  const names: Name[] =
    asked.length === 0 ? ["prompts", "programs", "public"] : asked.map((word) => partOf(GENERATED, word));
  for (const name of names) {
    const status = await generate(name);
    if (status !== 0) process.exit(status);
  }
}
