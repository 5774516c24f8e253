/** Builds each client once per contract and source: the same description reuses the existing package. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clientDescription } from './description.mjs';
import { pythonClient } from './python.mjs';
import { typescriptClient } from './typescript.mjs';

const BUILDERS = { typescript: typescriptClient, python: pythonClient };

export async function buildClient(root, language, { openapi, asyncapi }) {
  const description = JSON.parse(placed(JSON.stringify(clientDescription(openapi, asyncapi)), openapi));
  const folder = join(root, 'build-clients', `${language}-${fingerprint(root, language, description)}`);
  if (!existsSync(folder)) {
    const work = `${folder}.work-${process.pid}`;
    const out = `${folder}.out-${process.pid}`;
    try {
      mkdirSync(out, { recursive: true });
      await BUILDERS[language](root, description, work, out);
      if (!existsSync(folder)) renameSync(out, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
      rmSync(out, { recursive: true, force: true });
    }
  }
  return join(folder, readdirSync(folder)[0]);
}

function fingerprint(root, language, description) {
  const hash = createHash('sha256').update(JSON.stringify(description));
  for (const folder of [join(root, 'src/clients', language), join(root, 'scripts/clients')]) {
    for (const name of readdirSync(folder, { recursive: true }).sort()) {
      if (/\.(ts|py|mjs|json|toml|md)$/.test(name))
        hash.update(name).update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The server's address differs between servers and must not change the package. */
const placed = (text, { servers }) => text.replaceAll(servers[0].url, 'http://127.0.0.1:8080');
