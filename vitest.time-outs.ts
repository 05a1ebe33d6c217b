// The time-outs of all tests. They only end what hangs: a test that fails by a clock fails on a busy
// machine, so no test and no poll has a shorter one of its own.

export const TIME_OUTS = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 500_000 } },
} as const;
