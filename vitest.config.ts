import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { FileOrder } from './test/file-order.ts';
import { sharingFiles } from './test/shared-process.ts';

// scripts/console-pictures.mjs alone runs this file, which writes the pictures of the guides.
const pictures = process.env.TRUNKLINE_PICTURES ? [] : ['test/apps/console/pictures.test.ts'];
// Files of the long form run in it, and where the command names files.
const namesFiles =
  process.env.TRUNKLINE_TEST_LONG_FILES === '1' ||
  process.argv.slice(2).some((word) => word.startsWith('test/'));
const isLong = process.env.TRUNKLINE_TEST_LONG === '1' || namesFiles;
const left = isLong ? pictures : [...pictures, 'test/**/*.long.test.ts'];
const sharing = sharingFiles(fileURLToPath(new URL('.', import.meta.url))).filter(
  (name) => !pictures.includes(name) && (isLong || !name.endsWith('.long.test.ts')),
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
    sequence: { sequencer: FileOrder },
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
          exclude: [...configDefaults.exclude, ...sharing, ...left],
        },
      },
      { extends: true, test: { name: 'together', include: sharing, isolate: false } },
    ],
  },
});
