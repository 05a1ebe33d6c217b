// `testbed adversarial`: one program under the modifications, to look at, or a set's adversarial lists made
// anew.
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { MODIFICATION_LANGUAGES, MODIFICATIONS } from "../adversarial/modifications.ts";
import { modify } from "../adversarial/modify.ts";
import { languageNamed } from "../sources/source.ts";
import type { SourceLanguage } from "../syntax/grammar.ts";
import { type Command, readOptions, UsageError, wholeNumber } from "./command.ts";

const HELP = `  FILE                   a program; without it, list the modifications
  --modification NAME    the modification to apply
  --language L           ${MODIFICATION_LANGUAGES.join(", ")}; default: by file extension
  --seed N               default 1

The command build creates a set's adversarial lists (--adversarial-per-length) and verifies that each modified program behaves as before.

Examples
  npm run lab -- testbed adversarial
  npm run lab -- testbed adversarial solution.py --modification misleading_comments`;

const isSourceLanguage = (language: string | null): language is SourceLanguage =>
  (MODIFICATION_LANGUAGES as readonly (string | null)[]).includes(language);

export const adversarialCommand: Command = {
  summary: "list the modifications, or print a modified program",
  help: HELP,
  async run(args) {
    const specs = { modification: { type: "string" }, language: { type: "string" }, seed: { type: "string" } } as const;
    const { values, positionals } = readOptions(args, specs);
    const [file] = positionals;
    if (file === undefined) {
      for (const { name, isKeptByPaper, direction, description } of MODIFICATIONS) {
        console.log(`${isKeptByPaper ? "*" : " "} ${direction} ${name}: ${description}`);
      }
      return 0;
    }
    const modification = MODIFICATIONS.find(({ name }) => name === values.modification);
    if (modification === undefined)
      throw new UsageError(`--modification must be one of ${MODIFICATIONS.map(({ name }) => name).join(", ")}`);
    const language = languageNamed(values.language ?? extname(file).slice(1));
    if (!isSourceLanguage(language))
      throw new UsageError(`--language must be one of ${MODIFICATION_LANGUAGES.join(", ")}`);
    const seed = wholeNumber(values.seed, "seed", 1, [0, Number.MAX_SAFE_INTEGER]);
    const { code, applied, reason } = modify(readFileSync(file, "utf8"), language, modification.name, { seed });
    if (applied) process.stdout.write(code.endsWith("\n") ? code : `${code}\n`);
    else console.error(`not applied: ${reason}`);
    return applied ? 0 : 1;
  },
};
