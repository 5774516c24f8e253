/** Builds each package once per source: the same description, or the same folder, reuses the existing package. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { clientDescription } from './description.mjs';
import { npmPackage, wheelPackage } from './integrations.mjs';
import { pythonClient } from './python.mjs';
import { typescriptClient } from './typescript.mjs';

const BUILDERS = { typescript: typescriptClient, python: pythonClient };

/** The packages for frameworks hold no generated code: nothing of them depends on a server's contract. */
export const INTEGRATIONS = {
  pipecat: wheelPackage,
  livekit: wheelPackage,
  'ai-sdk': npmPackage,
  react: npmPackage,
  n8n: npmPackage,
};

export function buildClient(root, language, { openapi, asyncapi }) {
  const description = JSON.parse(placed(JSON.stringify(clientDescription(openapi, asyncapi)), openapi));
  return builtOnce(root, language, JSON.stringify(description), (work, out) =>
    BUILDERS[language](root, description, work, out),
  );
}

export const buildIntegration = (root, name) =>
  builtOnce(root, name, '', (work, out) => INTEGRATIONS[name](root, name, work, out));

async function builtOnce(root, name, input, build) {
  const folder = join(root, 'build-clients', `${name}-${fingerprint(root, name, input)}`);
  if (!existsSync(folder)) {
    const work = `${folder}.work-${process.pid}`;
    const out = `${folder}.out-${process.pid}`;
    try {
      mkdirSync(out, { recursive: true });
      await build(work, out);
      if (!existsSync(folder)) renameSync(out, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
      rmSync(out, { recursive: true, force: true });
    }
  }
  return join(folder, readdirSync(folder)[0]);
}

function fingerprint(root, name, input) {
  const hash = createHash('sha256').update(input);
  for (const folder of [join(root, 'src/clients', name), join(root, 'scripts/clients')]) {
    for (const file of readdirSync(folder, { recursive: true }).sort()) {
      if (/\.(tsx?|py|mjs|json|toml|md|svg)$/.test(file))
        hash.update(file).update(readFileSync(join(folder, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The server's address differs between servers and must not change the package. */
const placed = (text, { servers }) => text.replaceAll(servers[0].url, 'http://127.0.0.1:8080');
