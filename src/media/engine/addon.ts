import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Addon } from './native.ts';

// The path is the same from src/media/engine and from dist/media/engine.
const path = fileURLToPath(new URL('../../../lib/binding/trunkline.node', import.meta.url));
/** The program that pronounces text, built beside the addon. */
export const phonemesProgram = fileURLToPath(
  new URL('../../../lib/binding/trunkline-phonemes', import.meta.url),
);
/** The program that signals calls; only where the system has what it is made of. */
export const sipProgram = fileURLToPath(new URL('../../../lib/binding/trunkline-sip', import.meta.url));
let loaded: Addon | undefined;

/** The addon, loaded once a thread. Nobody else in the product loads it. */
export function addon(): Addon {
  if (loaded) return loaded;
  if (!existsSync(path)) {
    throw new Error(
      `the native engine is not built (${path} is missing); build it with: npm run build:native`,
    );
  }
  loaded = createRequire(import.meta.url)(path) as Addon;
  return loaded;
}
