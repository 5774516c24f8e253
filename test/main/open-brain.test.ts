import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { brainParts } from '../../src/main/open-brain.ts';

const ENTRY = { name: 'ears', url: 'https://models.example/v1', model: 'gpt-realtime', key: 'sk-secret' };

it('tells which host receives the audio of callers, or what is said', async () => {
  const data = mkdtempSync(join(tmpdir(), 'trunkline-brains-'));
  const partsOf = async (entry: object) =>
    await brainParts(
      loadConfig({ TRUNKLINE_DATA: data, TRUNKLINE_BRAINS: JSON.stringify([{ ...ENTRY, ...entry }]) }),
    );
  const parts = await partsOf({ kind: 'realtime' });
  expect(parts).toContainEqual({
    name: 'brain ears',
    ready: true,
    required: false,
    detail: 'realtime: caller audio is sent to models.example:443',
  });
  expect(JSON.stringify(parts)).not.toContain('sk-secret');
  expect(await partsOf({ kind: 'chat' })).toContainEqual({
    name: 'brain ears',
    ready: true,
    required: false,
    detail: 'what is said in calls is sent to models.example:443',
  });
  rmSync(data, { recursive: true });
});
