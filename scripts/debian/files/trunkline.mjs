#!/usr/bin/node
/** The command of an appliance runs as the server's own user when root calls it, with the server's own settings. */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';

const USER = 'trunkline';
const HOME = '/var/lib/trunkline';
const SETTINGS = '/etc/trunkline/trunkline.env';

if (['--version', '-V'].includes(process.argv[2])) {
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
} else {
  readSettings();
  if (process.getuid() === 0) becomeUser();
  // Node 22 and later cache compiled code. The folder is writable only by this user, because a folder below /tmp may
  // belong to anyone.
  modules.enableCompileCache?.(`${HOME}/compiled`);
  const { main } = await import('../dist/apps/cli/index.js');
  process.exitCode = await main(process.argv.slice(2));
}

/** The environment takes precedence, as it does for the service. A user who cannot read the file gets none of its secrets. */
function readSettings() {
  try {
    process.loadEnvFile(SETTINGS);
  } catch (error) {
    if (!['ENOENT', 'EACCES'].includes(error.code)) throw error;
  }
  process.env.TRUNKLINE_DATA ??= `${HOME}/data`;
  process.env.TRUNKLINE_MODELS ??= '/usr/lib/trunkline-models';
}

/** The server could not write a file that root created in the data folder. */
function becomeUser() {
  process.initgroups(USER, USER);
  process.setgid(USER);
  process.setuid(USER);
  process.env.HOME = HOME;
}
