import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_PACKAGE } from '../../foundation/platform/engine-package.ts';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { DoctorFinding } from './doctor-checks.ts';

interface KnownBuilds {
  readonly package: string;
  readonly builds: Readonly<Record<string, { readonly published: string; readonly turned?: string }>>;
  readonly older: {
    readonly package: string;
    readonly faults: string;
    readonly builds: Readonly<Record<string, string>>;
  };
}

const TABLE = join(PROJECT_ROOT, 'scripts/setup/listener-builds.json');
const FOLDER = ENGINE_PACKAGE ?? join(PROJECT_ROOT, 'node_modules/uWebSockets.js');
const MEND = ENGINE_PACKAGE
  ? 'fix it with: npm install trunkline'
  : 'fix it with: rm -rf node_modules/uWebSockets.js && npm start';

export function listenerFinding(folder = FOLDER): DoctorFinding {
  const name = `${process.platform}_${process.arch}_${process.versions.modules}`;
  try {
    const known = JSON.parse(readFileSync(TABLE, 'utf8')) as KnownBuilds;
    const bytes = readFileSync(join(folder, `uws_${name}.node`));
    const detail = describe(known, name, createHash('sha256').update(bytes).digest('hex'));
    if (detail) return { name: 'listener', works: true, required: true, detail };
    return { name: 'listener', works: false, required: true, detail: `its build is not known; ${MEND}` };
  } catch (error) {
    return { name: 'listener', works: false, required: true, detail: `${(error as Error).message}; ${MEND}` };
  }
}

function describe(known: KnownBuilds, name: string, digest: string): string | undefined {
  const build = known.builds[name];
  if (digest === build?.published) return `${known.package}, as published`;
  if (digest === build?.turned) return `${known.package}, adapted to glibc 2.36`;
  if (digest !== known.older.builds[name]) return undefined;
  return `${known.older.package}, for glibc before 2.36: ${known.older.faults}`;
}
