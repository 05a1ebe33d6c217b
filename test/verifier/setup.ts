// Helpers shared by the openai adapter's tests: a verifier on a mock, timers under the test's control. Must
// not hold any test.
import { systemClock } from "../../src/platform/clock.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createOpenAiVerifier, type OpenAiVerifierConfig } from "../../src/verifier/openai/adapter.ts";
import { type MockOptions, type MockVerifier, type Script, startMockVerifier } from "../harness/mock-verifier.ts";

export const clock = systemClock;

/** Runs a test against a fresh mock and a verifier on it; the mock is closed afterwards. */
export async function withMock(
  script: Script,
  test: (mock: MockVerifier, verifier: ReturnType<typeof createOpenAiVerifier>) => Promise<void>,
  more: Partial<OpenAiVerifierConfig> & { mock?: MockOptions } = {},
): Promise<void> {
  const { mock: options, ...config } = more;
  const mock = await startMockVerifier(script, options);
  try {
    // Hedging goes by real time: where it is not what is tested, it could only add requests on a
    // slow machine.
    const backend = new Backend({ name: "verifier", hedging: false });
    const settings = { url: mock.url, model: "mock-model", apiKey: null, backend, ...config };
    const verifier = createOpenAiVerifier(settings, clock);
    await test(mock, verifier);
  } finally {
    await mock.close();
  }
}

/** A back-off timer that runs at once, in a later turn, and notes how long it was asked to wait. */
export function instantTimer() {
  const waits: number[] = [];
  const schedule = (run: () => void, ms: number) => {
    waits.push(ms);
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  };
  return { waits, schedule };
}

/** A back-off timer that runs only when told. */
export function heldTimer() {
  const held: { run: () => void; ms: number }[] = [];
  const schedule = (run: () => void, ms: number) => {
    const entry = { run, ms };
    held.push(entry);
    return () => {
      held.splice(held.indexOf(entry), 1);
    };
  };
  return { held, schedule };
}

/** The address of a port on which nothing listens: taken by a server that is closed again. */
export async function deadUrl(): Promise<string> {
  const mock = await startMockVerifier(() => () => {});
  const { url } = mock;
  await mock.close();
  return url;
}

/** A promise with its resolver, as a gate in a script. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
