import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real recognition and speech take a while where other work shares the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for sound that passes in real time, for other programs and for timers: one file more than there are cores.
    maxWorkers: Math.min(availableParallelism(), 4) + 1,
    // What is waited for by looking again comes late on a busy machine; that it comes is what a test asks.
    expect: { poll: { timeout: 20_000 } },
  },
});
