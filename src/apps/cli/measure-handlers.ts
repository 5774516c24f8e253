import { readFileSync, writeFileSync } from 'node:fs';
import {
  type CallTransport,
  OmniTransport,
  type RealtimeSound,
  RealtimeTransport,
  TwilioTransport,
} from '../caller/index.ts';
import {
  figuresOf,
  type MeasuredCalls,
  type Measurement,
  type MeasurementSounds,
  measure,
  measurementOf,
  plot,
  readMeasurement,
} from '../measure/index.ts';
import { ServerApi } from '../testkit/index.ts';
import type { CliContext } from './command.ts';
import { wholeNumber } from './core-services.ts';
import type { MeasureOptions } from './measure.ts';

const WRONG = 2;
const NAME_WIDTH = 'interruption latency, p50'.length;
const QUESTIONS = [
  'Hello. Please tell me everything about your opening hours, for each day of the week.',
  'Could you please tell me in detail what you can do for me?',
];
const INTERRUPTIONS = ['Wait, stop. I have another question.', 'No, no. Please let me say something.'];
const LISTENING = ['Mm-hmm.', 'Uh-huh.'];

export async function measureOrCompare(
  context: CliContext,
  places: readonly string[],
  options: MeasureOptions,
): Promise<number> {
  try {
    if (options.compare) return compare(context, places, options);
    const [target] = places;
    if (target === undefined || places.length !== 1) throw new Error('expected one URL as the argument');
    const key = options.key ?? context.environment.TRUNKLINE_KEY ?? '';
    const wire = wireFor(target, key, options);
    const sounds = await soundsOf(context, target, key, options);
    const calls: MeasuredCalls[] = [];
    for (let call = 0; call < wholeNumber('--calls', options.calls); call++) {
      calls.push(await measure(wire, sounds, wholeNumber('--rounds', options.rounds)));
      context.error(`call ${call + 1} measured`);
    }
    const about = {
      protocol: options.protocol,
      target: new URL(target).host,
      measured_at: new Date().toISOString(),
    };
    const found = measurementOf(about, calls);
    if (options.save !== undefined) writeFileSync(options.save, `${JSON.stringify(found, null, 2)}\n`);
    if (options.plot !== undefined) writeFileSync(options.plot, plot([found]));
    for (const [name, value] of figuresOf(found)) context.out(`${name.padEnd(NAME_WIDTH)} ${value}`);
    return 0;
  } catch (error) {
    context.error(`error: ${(error as Error).message}`);
    return WRONG;
  }
}

function compare(context: CliContext, places: readonly string[], options: MeasureOptions): number {
  const [a, b] = places.map((file): Measurement => readMeasurement(readFileSync(file, 'utf8'), file));
  if (a === undefined || b === undefined || places.length !== 2) throw new Error('--compare needs two files');
  context.out(`A: ${a.protocol} ${a.target}, ${a.measured_at}`);
  context.out(`B: ${b.protocol} ${b.target}, ${b.measured_at}`);
  const others = figuresOf(b);
  for (const [at, [name, value]] of figuresOf(a).entries())
    context.out(`${name.padEnd(NAME_WIDTH)} ${value.padEnd(36)} ${others[at]?.[1] ?? ''}`);
  if (options.plot !== undefined) writeFileSync(options.plot, plot([a, b]));
  return 0;
}

function wireFor(url: string, key: string, { protocol, agent, sound }: MeasureOptions): () => CallTransport {
  const which = agent === undefined ? {} : { agentId: agent };
  switch (protocol) {
    case 'omni':
      return () => new OmniTransport({ url, key, configure: {}, ...which });
    case 'realtime':
      return () => new RealtimeTransport({ url, key, sound: realtimeSound(sound) });
    case 'twilio': {
      const parameters = {
        ...(agent === undefined ? {} : { agent_id: agent }),
        ...(key === '' ? {} : { api_key: key }),
      };
      return () => new TwilioTransport({ url: url.replace(/^http/, 'ws'), parameters });
    }
    default:
      throw new Error(`--protocol must be omni, realtime or twilio, not ${protocol}`);
  }
}

function realtimeSound(sound: string): RealtimeSound {
  if (sound === 'ulaw' || sound === 'pcm') return sound;
  throw new Error(`--sound must be ulaw or pcm, not ${sound}`);
}

async function soundsOf(
  context: CliContext,
  target: string,
  key: string,
  options: MeasureOptions,
): Promise<MeasurementSounds> {
  const own = options.protocol === 'omni' ? target : undefined;
  const url = options.voiceUrl ?? own;
  if (url === undefined)
    throw new Error('set --voice-url to a server of this product, which synthesizes the caller’s speech');
  const api = new ServerApi(url, options.voiceKey ?? context.environment.TRUNKLINE_VOICE_KEY ?? key);
  const spoken = (texts: readonly string[]) =>
    Promise.all(texts.map((text) => api.speech(text, options.voice)));
  return {
    questions: await spoken(QUESTIONS),
    interruptions: await spoken(INTERRUPTIONS),
    listening: await spoken(LISTENING),
  };
}
