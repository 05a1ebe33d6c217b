// The values that a deployment is given: from the environment, from .dev.vars, or by a person at a terminal;
// and the notes of a deployment, which hold no secret. Never shows a value.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { parseEnv } from "node:util";
import { readEnv, VARIABLES } from "../../src/env.ts";
import { ROOT } from "../project/child.ts";
import { OBJECTS } from "../stack/edge.ts";

/** Values that cannot be read back from Cloudflare: it keeps secrets to itself. */
interface Notes {
  url?: string;
  /** API_KEYS: names and digests of keys. */
  api_keys?: string;
}

/** Variables of the local stack alone, and bindings, which are wrangler.toml's. */
const NEVER_SET = new Set(["DATABASE_FETCH_ENDPOINT", "LOG_QUEUE", "ASSETS", "AI", ...Object.keys(OBJECTS)]);

export class Values {
  readonly #given: Record<string, string>;
  readonly #file: string;
  readonly #worker: string;

  /**
   * @param file where notes of deployments are kept
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

  /** What is given of these, or of all. */
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

  /** What is wrong with what is given, a line each, by name. */
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

/** Whether a person is there to be asked. */
export const isAttended = () => process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;

/** A person's typed answer, which is not shown. */
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
