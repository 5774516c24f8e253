#!/usr/bin/env node
/** Writes scripts/release/kubernetes/single.yaml and cluster.yaml from the chart; needs helm. */
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runMain } from '../setup/failure.mjs';
import { tool } from './libraries.mjs';

/** chart-tools.sh puts helm there. */
const TOOLS = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trunkline/tools/bin');
const folder = fileURLToPath(new URL('.', import.meta.url));
export const KUBERNETES = '1.34.0';
export const MANIFESTS = {
  'single.yaml': [],
  'cluster.yaml': ['--values', 'kubernetes/cluster-values.yaml'],
};

export const rendered = (args) =>
  tool('helm', ['template', 'trunkline', 'chart', '--kube-version', KUBERNETES, ...args], {
    cwd: folder,
    env: { PATH: `${TOOLS}${delimiter}${process.env.PATH}` },
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    for (const [name, args] of Object.entries(MANIFESTS))
      writeFileSync(join(folder, 'kubernetes', name), await rendered(args));
  });
}
