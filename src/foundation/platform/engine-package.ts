import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/**
 * It is the folder of the npm package with the compiled files of this platform: the engine and its libraries, the
 * database and the listener (scripts/release/engine-package.mjs lists them). It is undefined in a checkout, which
 * builds them.
 */
export const ENGINE_PACKAGE = find(`@trunkline/engine-${process.platform}-${process.arch}-gnu`);

function find(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
