// @requirement Set-up: `doctor --fix` repeats the set-up and fetches a damaged model again.
/** `doctor --fix` in a process of its own, with a copy of the models of which one is damaged and one is missing. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { defaultModelsRoot } from '../../../src/foundation/platform/models/index.ts';

const models = defaultModelsRoot();
const folder = mkdtempSync(join(tmpdir(), 'trunkline-doctor-fix-'));
const copy = join(folder, 'models');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function link(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) link(source, target);
    else if (entry.isFile()) {
      try {
        linkSync(source, target);
      } catch {
        cpSync(source, target); // another file system
      }
    }
  }
}

function doctor() {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/trunkline.mjs', 'doctor', '--fix'],
    {
      env: {
        ...process.env,
        TRUNKLINE_MODELS: copy,
        TRUNKLINE_DATA: join(folder, 'data'),
        TRUNKLINE_LOG_LEVEL: 'error',
      },
      encoding: 'utf8',
    },
  );
  return { status, said: stdout + stderr };
}

it('fetches a damaged and a missing file again, and says that nothing is wrong then', {
  timeout: 240_000,
}, () => {
  link(models, copy);
  const version = join(copy, 'silero-vad', readdirSync(join(copy, 'silero-vad'))[0]!);
  const graph = join(version, readdirSync(version).find((name) => name.endsWith('.onnx'))!);
  const bytes = readFileSync(graph);
  const { atime, mtime } = statSync(graph);
  rmSync(graph);
  const wrong = Buffer.from(bytes);
  wrong[bytes.byteLength >> 1]! ^= 1;
  writeFileSync(graph, wrong);
  utimesSync(graph, atime, mtime);
  rmSync(join(copy, 'smart-turn'), { recursive: true });

  const mended = doctor();
  expect(mended.said).toContain('doctor: setting up this checkout again');
  expect(mended.said).toMatch(/downloading pipecat/);
  expect(mended.said).toMatch(/downloading silero-vad/);
  expect(readFileSync(graph).equals(bytes)).toBe(true);
  expect(mended.status, mended.said).toBe(0);

  const again = doctor();
  expect(again.said).toMatch(/every file of \d+ models matches its pinned checksum/);
  expect(again.status).toBe(0);
});
