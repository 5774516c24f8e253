/**
 * Runs the models for a GPU, by scripts/gpu-check.mjs, and compares them with those for the CPU; `rehearse` runs them
 * on the CPU.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Report, runBench } from '../harness/index.ts';

type Line = Readonly<Record<string, string | number | boolean>>;

async function check(parts: readonly string[]): Promise<Line[]> {
  const how = parts.includes('rehearse') ? 'rehearse' : 'here';
  const args = ['scripts/gpu-check.mjs', how, '--out', join(tmpdir(), 'trunkline-gpu-bench')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    if (line.startsWith('{')) lines.push(JSON.parse(line) as Line);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`gpu-check ended with ${code}`);
  return lines;
}

/** The processor's times say nothing of a GPU, so a rehearsal has no figures but its own. */
function rehearsal(page: Report, lines: readonly Line[]): void {
  const [end] = lines.filter(({ done }) => done === true);
  page.text('The report was rehearsed on the processor. None of its times is that of a GPU.');
  page.figure({
    name: 'sections that failed in the rehearsal',
    value: end === undefined ? Number.NaN : Number(end.failed),
    unit: '',
    goal: { atMost: 0 },
  });
  page.figure({
    name: 'rehearsal of the report',
    value: end === undefined ? Number.NaN : Number(end.seconds),
    unit: 's',
    goal: { atMost: 360 },
  });
  page.text(lines.map((line) => `    ${JSON.stringify(line)}`).join('\n'));
}

const of = (lines: readonly Line[], section: string) => lines.filter((line) => line.section === section);

function report(page: Report, lines: readonly Line[]): void {
  const texts = of(lines, 'texts').find(({ recordings }) => recordings !== undefined);
  if (texts) {
    page.figure({
      name: 'recordings with the processor’s text',
      value: (100 * Number(texts.equal_to_processor)) / Number(texts.recordings),
      unit: '%',
    });
    page.figure({
      name: 'word error beside the processor’s',
      value: Number(texts.word_error_device) - Number(texts.word_error_processor),
      unit: 'points',
      goal: { atMost: 0.3 },
    });
    page.figure({
      name: 'Whisper base, whole windows, greedy, without features: seconds of speech a second',
      value: Number(texts.device_speech_s_per_s),
      unit: 's',
      goal: { atLeast: 3000 },
      peer: 'processor',
      peerValue: Number(texts.processor_speech_s_per_s),
    });
  }
  const streams = of(lines, 'streams').filter(({ p99_ms }) => Number(p99_ms) < 1000);
  const most = (place: string) =>
    Math.max(0, ...streams.filter((line) => line.place === place).map((line) => Number(line.streams)));
  if (most('cuda') > 0)
    page.figure({
      name: 'live streams at once, of those tried, with p99 to final under 1 s',
      value: most('cuda'),
      unit: 'streams',
      goal: { atLeast: 800 },
      peer: 'processor',
      peerValue: most('cpu'),
    });
  const calls = (place: string, how: string) =>
    of(lines, 'calls').findLast((line) => line.place === place && line.how === how);
  const full = calls('cuda-front', 'full') ?? calls('cuda', 'full');
  if (full)
    page.figure({
      name: 'Kokoro: seconds of speech a second',
      value: Number(full.speech_s_per_s),
      unit: 's',
      goal: { atLeast: 1500 },
      peer: 'processor',
      peerValue: Number(calls('cpu', 'full')?.speech_s_per_s),
    });
  const paced = calls('cuda-front', 'paced') ?? calls('cuda', 'paced');
  if (paced)
    page.figure({
      name: `Kokoro: first audio with ${paced.calls} calls speaking, p95`,
      value: Number(paced.first_audio_p95_ms),
      unit: 'ms',
      goal: { atMost: 200 },
    });
  page.text(lines.map((line) => `    ${JSON.stringify(line)}`).join('\n'));
}

await runBench('gpu', 'Forms for a GPU', async (page, { parts }) => {
  const lines = await check(parts);
  const skipped = lines.find((line) => line.skipped !== undefined && line.section === undefined);
  if (skipped) page.text(`Skipped: ${skipped.skipped}.`);
  else if (parts.includes('rehearse')) rehearsal(page, lines);
  else report(page, lines);
});
