// Helpers shared by the verify adapter's tests: a verifier on a mock gateway. Must not hold any test.
import { systemClock } from "../../src/platform/clock.ts";
import { createGatewayVerifier, type GatewayVerifierConfig } from "../../src/verifier/gateway/adapter.ts";
import { type GatewayScript, type MockGateway, type Ready, startMockGateway } from "../harness/mock-gateway.ts";
import type { MockOptions } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

/** Runs a test against a fresh mock gateway and a verifier on it; the mock is closed afterwards. */
export async function withGateway(
  script: GatewayScript,
  test: (gateway: MockGateway, verifier: ReturnType<typeof createGatewayVerifier>) => Promise<void>,
  more: Partial<GatewayVerifierConfig> & { mock?: MockOptions & { ready?: Ready }; clock?: typeof clock } = {},
): Promise<void> {
  const { mock: options, clock: time = clock, ...config } = more;
  const gateway = await startMockGateway(script, options);
  try {
    await test(gateway, createGatewayVerifier({ url: gateway.url, model: null, apiKey: null, ...config }, time));
  } finally {
    await gateway.close();
  }
}

/** Time and timers that move only when told. */
export class ManualTime {
  readonly pending: { run: () => void; ms: number }[] = [];
  #now = 0;
  #watchers: (() => void)[] = [];

  readonly clock = { ...systemClock, now: () => this.#now, date: () => new Date(this.#now) };

  readonly schedule = (run: () => void, ms: number): (() => void) => {
    const entry = { run, ms };
    this.pending.push(entry);
    for (const look of this.#watchers.splice(0)) look();
    return () => {
      if (this.pending.includes(entry)) this.pending.splice(this.pending.indexOf(entry), 1);
    };
  };

  /** Resolves once a timer of that length is pending. */
  async armed(ms: number): Promise<void> {
    while (!this.pending.some((entry) => entry.ms === ms)) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Lets time pass; runs nothing. */
  pass(ms: number): void {
    this.#now += ms;
  }

  /** Runs the one pending timer. Throws when there is not exactly one. */
  fire(): void {
    const [entry, ...others] = this.pending.splice(0);
    if (entry === undefined || others.length > 0) throw new Error("not exactly one timer is pending");
    entry.run();
  }
}
