/**
 * Shows where the CPU time of one call goes, second by second. `perf` samples each core fifty times a second with the
 * call stack; the first stage below that has a function of the stack gets the sample.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../harness/index.ts';
import { measureSessions } from '../omni/sessions.ts';
import { KOKORO } from '../speak/voices.ts';
import { onScene } from './calls.ts';

const HERTZ = 49;
const SECONDS = 30;

const STAGES: readonly (readonly [stage: string, name: RegExp])[] = [
  ['voice activity (Silero)', /vad::Silero/],
  ['end of turn (Smart Turn)', /vad::SmartTurn/],
  ['partials (Moonshine)', /asr::Moonshine/],
  ['finals: encoder (Whisper)', /WhisperDecoder::Encode|asr::WhisperEncod/],
  ['finals: decoder (Whisper)', /asr::Whisper/],
  ['backchannels', /BackchannelModel|BargeInDetector/],
  ['voice: prosody (Kokoro)', /tts::Kokoro::Read/],
  ['voice: decoder (Kokoro)', /tts::Kokoro::Decode/],
  ['voice: hibari', /tts::Hibari|tts::HarmonicVocoder/],
  ['voice: generator (Kokoro)', /tts::.*(Generator|Snake|ToomCook|HelpingHand|Layer|Rows)/],
  ['voice: Piper', /tts::Piper/],
  ['voice: the rest', /tts::/],
  ['echo and media', /trunkline::(echo|dsp|mark|vad)::/],
  ['the engine else', /trunkline::/],
];
const DEEP = 'inference, of a stack too deep to tell';
/** Bytes of a stack: the most that `perf` takes. */
const DEEPEST = 65_528;
export const ELSE = 'the event loop and the system';
export const STAGE_NAMES: readonly string[] = [...STAGES.map(([stage]) => stage), DEEP, ELSE];

export interface Profile {
  readonly seconds: readonly Readonly<Record<string, number>>[];
  readonly callerSeconds: number;
  readonly agentSeconds: number;
}

export async function profileOfACall(quick: boolean): Promise<Profile | null> {
  if (!hasProgram('perf')) return null;
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  const file = join(folder, 'perf.data');
  try {
    return await onScene(async ({ program, brain, corpus }) => {
      await program.speak('Hello.', KOKORO);
      await measureSessions(program, brain, corpus, 1, 8, { voice_id: KOKORO });
      const options = [
        '-e',
        'cpu-clock',
        '-F',
        String(HERTZ),
        '--call-graph',
        `dwarf,${DEEPEST}`,
        '-o',
        file,
      ];
      const perf = spawn('perf', ['record', ...options, '-p', String(program.pid)], { stdio: 'ignore' });
      const ended = once(perf, 'exit');
      const call = await measureSessions(program, brain, corpus, 1, quick ? 8 : SECONDS, {
        voice_id: KOKORO,
      });
      perf.kill('SIGINT');
      await ended;
      return {
        seconds: bySecond(stacksOf(file)),
        callerSeconds: (quick ? 8 : SECONDS) - call.spokenSeconds,
        agentSeconds: call.spokenSeconds,
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Stack {
  readonly at: number;
  readonly stage: string;
}

function stacksOf(file: string): Stack[] {
  const reported = spawnSync('perf', ['script', '-i', file, '-F', 'tid,time,ip,sym,dso', '--no-inline'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 31 - 1,
  });
  if (reported.status !== 0) throw new Error(`perf script: ${reported.stderr}`);
  return reported.stdout.split('\n\n').flatMap((stack) => {
    const at = /^\s*\d+\s+(\d+\.\d+):/.exec(stack)?.[1];
    return at === undefined ? [] : [{ at: Number(at), stage: stageOf(stack.split('\n').slice(1)) }];
  });
}

/** A later stage takes only samples that no earlier one takes. */
function stageOf(frames: readonly string[]): string {
  const own = frames.filter((frame) => frame.includes('trunkline::'));
  for (const [stage, name] of STAGES) if (own.some((frame) => name.test(frame))) return stage;
  return frames.some((frame) => frame.includes('libonnxruntime')) ? DEEP : ELSE;
}

function bySecond(stacks: readonly Stack[]): Record<string, number>[] {
  const first = Math.min(...stacks.map(({ at }) => at));
  const last = Math.max(...stacks.map(({ at }) => at));
  const seconds = Array.from({ length: Math.floor(last - first) + 1 }, (): Record<string, number> => ({}));
  for (const { at, stage } of stacks) {
    const second = seconds[Math.floor(at - first)]!;
    second[stage] = (second[stage] ?? 0) + 1000 / HERTZ;
  }
  return seconds;
}
