import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const SOURCE = /(\.(cc|h|cmake)|CMakeLists\.txt)$/;
const OUTSIDE = new Set(['test']);

const TAKEN = ['opus/opus.h', 'srtp2/srtp.h', 'sofia-sip-1.12/sofia-sip/nua.h'];
const INCLUDES = ['/usr/include', '/usr/local/include', '/opt/homebrew/include'];

export function fingerprint(root, arch = process.arch) {
  const hash = createHash('sha256');
  for (const file of sources(join(root, 'native'))) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  for (const name of ['node-addon-api', 'node-api-headers', 'cmake-js']) {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    hash.update(`${name}@${version}\0`);
  }
  for (const header of TAKEN) {
    hash.update(`${header} ${INCLUDES.some((folder) => existsSync(join(folder, header)))}\0`);
  }
  return hash.update(`${process.platform} ${arch}`).digest('hex');
}

function* sources(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!OUTSIDE.has(entry.name)) yield* sources(path);
    } else if (SOURCE.test(entry.name)) {
      yield path;
    }
  }
}
