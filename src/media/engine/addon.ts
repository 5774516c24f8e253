import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_PACKAGE } from '../../foundation/platform/engine-package.ts';
import type { Addon } from './native.ts';

// The path is the same from src/media/engine and from dist/media/engine.
const built = fileURLToPath(new URL('../../../lib/binding', import.meta.url));
const folder = existsSync(join(built, 'trunkline.node')) ? built : (ENGINE_PACKAGE ?? built);
const path = join(folder, 'trunkline.node');
export const phonemesProgram = join(folder, 'trunkline-phonemes');
export const sipProgram = join(folder, 'trunkline-sip');
let loaded: Addon | undefined;

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
