import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Models, readManifest } from '../../../../src/foundation/platform/models/index.ts';

describe('the manifest', () => {
  const models = readManifest();

  it('names each file once for each platform, under its model, with a sha256 and a size', () => {
    const seen = new Set<string>();
    for (const model of models) {
      for (const file of model.files) {
        const key = `${file.path} ${file.platform ?? ''}`;
        expect(seen.has(key), key).toBe(false);
        seen.add(key);
        expect(file.path.startsWith(`${model.id}/`), file.path).toBe(true);
        expect(file.sha256, file.path).toMatch(/^[0-9a-f]{64}$/);
        expect(file.bytes, file.path).toBeGreaterThan(0);
      }
    }
  });

  it('says licence, origin and purpose of every model', () => {
    for (const model of models) {
      expect(model.licence, model.id).toMatch(/\S/);
      expect(model.origin, model.id).toMatch(/\S/);
      expect(model.purpose, model.id).toMatch(/\S/);
    }
  });

  it('lays a model where the fetcher lays it', () => {
    const program = `
      import { modelFolder, readManifest } from './scripts/models/layout.mjs';
      console.log(JSON.stringify(readManifest().models.map((model) => modelFolder('/cache', model))));`;
    const folders = JSON.parse(
      execFileSync('node', ['--input-type=module', '-e', program], { encoding: 'utf8' }),
    );
    const store = new Models({ root: '/cache' });
    expect(store.list.map((model) => store.folder(model.id))).toEqual(folders);
  });
});

describe('a model store', () => {
  let root: string;
  let store: Models;
  const file = 'silero-vad/silero_vad.onnx';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'models-'));
    store = new Models({ root });
    const path = store.path(file);
    const model = store.get('silero-vad').files[0]!;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    truncateSync(path, model.bytes);
    const stamp = { sha256: model.sha256, size: model.bytes, mtimeMs: statSync(path).mtimeMs };
    writeFileSync(join(dirname(path), '.stamps.json'), JSON.stringify({ 'silero_vad.onnx': stamp }));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is ready when every file is as it was when it was checked', () => {
    expect(store.status('silero-vad')).toEqual({ id: 'silero-vad', ready: true });
  });

  it('names a missing file and the command that mends it', () => {
    rmSync(store.path(file));
    expect(store.status('silero-vad').detail).toBe(
      'silero-vad/silero_vad.onnx is missing; fix it with: npx trunkline models fetch',
    );
  });

  it('notices a truncated file', () => {
    truncateSync(store.path(file), 10);
    expect(store.status('silero-vad').detail).toMatch(/is damaged \(expected 2845718 bytes, found 10\)/);
  });

  it('notices a file that was written again', () => {
    utimesSync(store.path(file), 1, 1);
    expect(store.status('silero-vad').detail).toMatch(/has changed since it was checked/);
  });

  it('names an optional model in the command that fetches it', () => {
    expect(store.status('smollm2-135m').detail).toMatch(/npx trunkline models fetch --only smollm2-135m$/);
  });

  it('refuses names that the manifest does not have', () => {
    expect(() => store.path('silero-vad/other.onnx')).toThrow(RangeError);
    expect(() => store.path('nothing/here')).toThrow(RangeError);
  });
});
