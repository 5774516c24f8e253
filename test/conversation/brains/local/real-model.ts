import { existsSync } from 'node:fs';
import { runtimeEntry } from '../../../../src/conversation/brains/local/runtime.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';

/**
 * `trunkline brain install` put the runtime into this folder. Neither it nor a model is part of set-up: `.ci/run`
 * fetches both; elsewhere the variable names the folder, and the model must be fetched.
 */
export const runtimeDir = process.env.TRUNKLINE_TEST_LLAMA ?? '';
export const model = new Models().wholeFiles()['smollm2-135m/model.gguf'] ?? '';

const absent = [
  ...(runtimeDir && existsSync(runtimeEntry(runtimeDir))
    ? []
    : ['TRUNKLINE_TEST_LLAMA, a folder with the runtime']),
  ...(model ? [] : ['smollm2-135m (npx trunkline models fetch --only smollm2-135m)']),
];
export const isAbsent = absent.length > 0;
if (isAbsent) console.warn(`SKIPPED: no real local model is run, for want of ${absent.join(' and ')}`);
