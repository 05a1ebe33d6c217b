// The values of a deployment, from the environment, .dev.vars or a prompt, and a file of notes, which
// contains no secret. Never prints a value.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { parseEnv } from "node:util";
import { readEnv, VARIABLES } from "../../src/env.ts";
import { ROOT } from "../project/child.ts";
import { OBJECTS } from "../stack/edge.ts";

/** Values that Cloudflare does not show, remembered on this machine. */
interface Notes {
  url?: string;
  /** API_KEYS, which has names and digests of keys. */
  api_keys?: string;
}

/** Variables that only the local stack uses, and bindings, which wrangler.toml defines. */
const NEVER_SET = new Set(["DATABASE_FETCH_ENDPOINT", "LOG_QUEUE", "ASSETS", "AI", ...Object.keys(OBJECTS)]);

export class Values {
  readonly #given: Record<string, string>;
  readonly #file: string;
  readonly #worker: string;

  /**
   * @param file the file of notes
   */
  constructor({ env, worker }: { env: string; worker: string }, file: string) {
    const local = `${ROOT}.dev.vars${env === "" ? "" : `.${env}`}`;
    const written = existsSync(local) ? parseEnv(readFileSync(local, "utf8")) : {};
    const all = { ...written, ...process.env };
    const names = VARIABLES.filter((name) => all[name] && !NEVER_SET.has(name));
    this.#given = Object.fromEntries(names.map((name) => [name, all[name] as string]));
    this.#file = file;
    this.#worker = worker;
  }

  /** The given values among `names`, by default all. */
  given(names: readonly string[] = Object.keys(this.#given)): Record<string, string> {
    return Object.fromEntries(
      names.flatMap((name) => (name in this.#given ? [[name, this.#given[name] as string]] : [])),
    );
  }

  get(name: string): string | undefined {
    return this.#given[name];
  }

  set(name: string, value: string): void {
    this.#given[name] = value;
  }

  /** Errors in the given values, each as `NAME: message`. */
  faults(): string[] {
    // Bindings come from wrangler.toml.
    const { faults } = readEnv({ ...this.#given, KEY_COUNTERS: {}, AI: {} });
    return faults.map(({ path, message }) => `${path}: ${message}`);
  }

  notes(): Notes {
    return this.#allNotes()[this.#worker] ?? {};
  }

  note(notes: Notes): void {
    const all = { ...this.#allNotes(), [this.#worker]: { ...this.notes(), ...notes } };
    writeFileSync(this.#file, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  }

  forget(): void {
    const { [this.#worker]: _, ...others } = this.#allNotes();
    writeFileSync(this.#file, `${JSON.stringify(others, null, 2)}\n`);
  }

  #allNotes(): Record<string, Notes> {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, "utf8")) : {};
  }
}

/** Whether a person can answer a prompt. */
export const isAttended = () => process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;

/** Prompts for a line, which is not echoed. */
export async function ask(question: string): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    process.stdout.write(`${question}: `);
    return (await terminal.question("")).trim();
  } finally {
    terminal.close();
    process.stdout.write("\n");
  }
}
