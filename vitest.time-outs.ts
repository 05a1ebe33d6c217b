// The time-outs of all tests. They only end what hangs: a test that fails by a clock fails on a busy
// machine, so no test and no poll has a shorter one of its own.

export const TIME_OUTS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000 } },
} as const;
