import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';

const require = createRequire(import.meta.url);

/** The host of prebuilt addons; none is published by default, so without this setting nothing is fetched. */
export const prebuiltHost = (env = process.env) => env.npm_config_trunkline_binary_host_mirror || undefined;

export function preGyp(root, ...args) {
  return run(process.execPath, [require.resolve('@mapbox/node-pre-gyp/bin/node-pre-gyp'), ...args], {
    cwd: root,
    env: { npm_config_nodedir: join(root, 'scripts/native/gyp') },
  });
}
