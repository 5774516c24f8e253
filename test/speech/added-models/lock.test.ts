import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AddedModels } from '../../../src/speech/added-models/index.ts';

it('keeps the voices that an earlier build chose by language and plan', () => {
  const data = mkdtempSync(join(tmpdir(), 'trunkline-lock-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const path = join(data, 'models.lock');
  const use = {
    voices: { de: 'anna', es: 'luz' },
    planVoices: { business: { de: 'karl' } },
    brains: [{ plan: 'business', use: ['big'] }],
  };
  writeFileSync(path, JSON.stringify({ format: 1, models: [], use }));
  const added = new AddedModels(data);
  const chosen = [
    { language: 'de', plan: 'business', use: ['karl'] },
    { language: 'es', use: ['luz'] },
    { language: 'de', use: ['anna'] },
  ];
  expect(added.voiceRules).toEqual(chosen);
  expect(added.brainRules).toEqual(use.brains);

  added.useBrains([]);
  const written = JSON.parse(readFileSync(path, 'utf8'));
  expect(written.use).toMatchObject({ voice: chosen, brains: [] });
  expect(written.use).not.toHaveProperty('voices');
});
