// An EnginePool without engines for tests: every call waits until the test answers it. Must not know the
// gateway.

import type { EngineAnswer, EngineCall, EnginePool } from "../../gpu-backend/gateway/engines/port.ts";
import { escapeText } from "../../src/core/judges/escape/escape.ts";

const ANSWER: EngineAnswer = {
  answer: "",
  thinking: "closed",
  finish_reason: "stop",
  prompt_tokens: 100,
  completion_tokens: 10,
  first_token_ms: 1,
  total_ms: 2,
  soft: null,
  model: null,
  error: null,
  retryable: false,
};

export const voteFor = (letter: string, more: Partial<EngineAnswer> = {}): EngineAnswer => ({
  ...ANSWER,
  answer: `\\boxed{${letter}}`,
  ...more,
});

export const failing = (error: NonNullable<EngineAnswer["error"]>, more: Partial<EngineAnswer> = {}): EngineAnswer => ({
  ...ANSWER,
  thinking: "none",
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  error,
  retryable: true,
  ...more,
});

export interface FakeCall {
  call: EngineCall;
  /** The user's message. */
  prompt: string;
  open: boolean;
  aborted: boolean;
  answer(answer: EngineAnswer): void;
}

export class FakePool implements EnginePool {
  readonly calls: FakeCall[] = [];
  /** Tokens that an aborted call had generated. */
  cut_tokens = 3;
  reachable = true;
  closed = false;
  /** Whether an abort is answered by itself. */
  answers_aborts = true;
  #capacity: number;
  #inFlight = 0;
  readonly #listeners: (() => void)[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get capacity(): number {
    return this.#capacity;
  }

  set capacity(capacity: number) {
    this.#capacity = capacity;
    for (const listener of this.#listeners) listener();
  }

  get in_flight(): number {
    return this.#inFlight;
  }

  get open(): FakeCall[] {
    return this.calls.filter(({ open }) => open);
  }

  generate(call: EngineCall): Promise<EngineAnswer> {
    this.#inFlight++;
    return new Promise((resolve) => {
      const entry: FakeCall = {
        call,
        prompt: JSON.parse(`{${Buffer.concat(call.question)}}`).messages.at(-1).content,
        open: true,
        aborted: false,
        answer: (answer) => {
          if (!entry.open) return;
          entry.open = false;
          this.#inFlight--;
          resolve(answer);
          for (const look of [...this.#watchers]) look();
        },
      };
      this.calls.push(entry);
      call.signal.addEventListener("abort", () => {
        // The signal is shared by all samples of a comparison, those that have ended included.
        if (!entry.open) return;
        entry.aborted = true;
        if (this.answers_aborts) entry.answer(failing("cancelled", { completion_tokens: this.cut_tokens }));
      });
      for (const look of [...this.#watchers]) look();
    });
  }

  /** Resolves as soon as the condition holds; looked at whenever a call comes or ends. */
  until(condition: (pool: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition(this)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async escape() {
    return escapeText;
  }

  async ready() {
    const detail = this.reachable ? "ok" : "not reachable";
    return { ok: this.reachable, detail, latency_ms: 1, special_tokens: 0 };
  }

  async models() {
    return ["fake-model"];
  }

  metrics(): string {
    return "fake_pool_up 1\n";
  }

  async close() {
    this.closed = true;
  }
}
