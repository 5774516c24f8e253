import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { sharingFiles } from './test/shared-process.ts';

// scripts/console-pictures.mjs alone runs this file, which writes the pictures of the guides.
const pictures = process.env.TRUNKLINE_PICTURES ? [] : ['test/apps/console/pictures.test.ts'];
const sharing = sharingFiles(fileURLToPath(new URL('.', import.meta.url))).filter(
  (name) => !pictures.includes(name),
);

export default defineConfig({
  test: {
    // What was translated from TypeScript is kept between runs: one file starts in two thirds of the time.
    experimental: { fsModuleCache: true },
    // Real recognition and speech take a while where other work shares the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/setup-file.ts'],
    pool: 'forks',
    // Most tests wait for sound that passes in real time, for other programs and for timers: one file more than there are cores.
    maxWorkers: Math.min(availableParallelism(), 4) + 1,
    // What is waited for by looking again comes late on a busy machine; that it comes is what a test asks.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...sharing, ...pictures],
        },
      },
      { extends: true, test: { name: 'together', include: sharing, isolate: false } },
    ],
  },
});
