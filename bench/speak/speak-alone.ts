/**
 * Speaks one sentence several times and prints the speed as JSON, for processes with other settings than the
 * benchmark's own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings } from '../../src/media/engine/index.ts';
import { PEER_TEXT } from './peer.ts';
import { timed } from './timing.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-alone-'));
const awake = setInterval(() => {}, 60_000);
const threads = process.env.TRUNKLINE_BENCH_THREADS ?? '2';
const engine = new Engine({
  models: new Models().wholeFiles(),
  library: process.env.TRUNKLINE_ORT_LIBRARY ?? null,
  settings: { ...speechSettings(folder), 'speak.threads': threads },
});
await engine.prepared();
await timed(engine, PEER_TEXT);
const said = [];
for (let run = 0; run < Number(process.argv[2] ?? 5); run++) said.push(await timed(engine, PEER_TEXT));
console.log(JSON.stringify(said));
clearInterval(awake);
engine.destroy();
rmSync(folder, { recursive: true, force: true });
