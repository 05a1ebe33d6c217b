// One request to a decision model: asked once, its raw reply kept in a file, and none beyond the budget.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type DecisionApi, sharesOf } from "../../src/core/wire/decision-apis.ts";
import { CHECK, type DecisionState, sizeOf } from "../../src/verifier/decision/state.ts";

/** The budget has no room for the next request; what was asked is in the file of raw replies. */
export class BudgetSpent extends Error {}

export interface Asked {
  /** By question, in their order without the check: shares of its options, or null where there are none. */
  shares: (number[] | null)[];
  /** Probability of the check's right word. */
  check: number | null;
  /** As the reply counts them. */
  tokens: number;
  /** The status or the fault of a request that gave no answers. */
  fault: string | null;
}

interface Kept {
  key: string;
  status: number;
  reply: unknown;
}

interface AskerOptions {
  api: DecisionApi;
  url: string;
  headers: Record<string, string>;
  model: string;
  /** JSON lines of raw replies; one that is there is not asked for again. */
  file: string;
  budget_usd: number;
  usd_per_million: number;
  /** How long to rest before a refused request is sent again, ms. */
  backoff_ms: number;
}

/** Statuses that pass. */
const PASSING = new Set([408, 429, 500, 502, 503, 504, 529]);
const TRIES = 5;

export class Asker {
  readonly #options: AskerOptions;
  readonly #cache: Map<string, Kept>;
  /** Requests and tokens of this study so far, those of earlier starts included. */
  calls = 0;
  tokens = 0;
  models = new Set<string>();

  constructor(options: AskerOptions) {
    this.#options = options;
    const lines = existsSync(options.file) ? readFileSync(options.file, "utf8").split("\n").filter(Boolean) : [];
    this.#cache = new Map(lines.map((line) => JSON.parse(line) as Kept).map((entry) => [entry.key, entry]));
  }

  get dollars(): number {
    return (this.tokens * this.#options.usd_per_million) / 1e6;
  }

  /**
   * @param repeat tells requests apart that are asked again on purpose
   * @throws BudgetSpent
   */
  async ask(state: DecisionState, repeat = 0): Promise<Asked> {
    const { api, model } = this.#options;
    const body = JSON.stringify(api.body(state.text, state.questions, model));
    const key = createHash("sha256")
      .update(JSON.stringify([api.path(model), body, repeat]))
      .digest("hex");
    const { status, reply } = this.#cache.get(key) ?? (await this.#post(key, body, sizeOf(state)));
    this.calls++;
    return this.#read(state, status, reply);
  }

  async #post(key: string, body: string, estimate: number): Promise<Kept> {
    const { url, api, headers, model, file, budget_usd, usd_per_million, backoff_ms } = this.#options;
    if (this.dollars + (estimate * usd_per_million) / 1e6 > budget_usd) throw new BudgetSpent();
    for (let tries = 1; ; tries++) {
      const response = await fetch(url + api.path(model), { method: "POST", headers, body });
      const text = await response.text();
      if (PASSING.has(response.status) && tries < TRIES) {
        await new Promise((resolve) => setTimeout(resolve, backoff_ms * 2 ** tries));
        continue;
      }
      const entry = { key, status: response.status, reply: parsed(text) };
      // A refusal that passes is asked again by the next start.
      if (!PASSING.has(response.status)) appendFileSync(file, `${JSON.stringify(entry)}\n`);
      return entry;
    }
  }

  #read(state: DecisionState, status: number, reply: unknown): Asked {
    const nothing = { shares: state.questions.slice(1).map(() => null), check: null, tokens: 0 };
    if (status !== 200) return { ...nothing, fault: String(status) };
    try {
      const { answers, input_tokens, model } = this.#options.api.read(reply);
      this.tokens += input_tokens ?? 0;
      if (model !== null) this.models.add(model);
      const shares = state.questions.map(({ id, options }) => {
        const answer = answers.get(id);
        return answer == null ? null : sharesOf(answer, options);
      });
      const at = state.questions.findIndex(({ id }) => id === CHECK);
      const right = state.questions[at]?.options.indexOf(state.word) ?? -1;
      const check = shares[at]?.[right] ?? null;
      return { shares: shares.filter((_, i) => i !== at), check, tokens: input_tokens ?? 0, fault: null };
    } catch {
      return { ...nothing, fault: "unreadable" };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
