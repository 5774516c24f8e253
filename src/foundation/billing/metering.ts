import type { Meter } from '../tenancy/index.ts';
import type { Unit } from './prices.ts';

interface MeteringRule {
  readonly meter: Meter | null;
  readonly unit: Unit;
  /**
   * `ahead` reserves some seconds more than were used, repeatedly; `length` reserves the whole length at once, exact
   * or estimated; `one` reserves one call, written answer or text.
   */
  readonly reserves: 'ahead' | 'length' | 'one' | 'nothing';
  readonly holder: string;
  readonly settles: { readonly by: string; readonly at: string };
  readonly bundledWith?: readonly string[];
}

/**
 * The table lists every metered or admitted use of the platform. A route names its row; nothing else chooses the
 * meter.
 */
export const METERING = {
  'hear.stream': {
    meter: 'hear',
    unit: 'second',
    reserves: 'ahead',
    holder: 'edge/surfaces/hear',
    settles: { by: 'transcription', at: 'words are shown' },
  },
  'hear.transcription': {
    meter: 'hear',
    unit: 'second',
    reserves: 'length',
    holder: 'edge/surfaces/hear',
    settles: { by: 'transcription', at: 'the answer is complete' },
  },
  'hear.job': {
    meter: 'hear_async',
    unit: 'second',
    reserves: 'length',
    holder: 'edge/surfaces/hear',
    settles: { by: 'transcription', at: 'the result is stored' },
  },
  'speak.speech': {
    meter: 'speak',
    unit: 'second',
    reserves: 'length',
    holder: 'edge/surfaces/speak',
    settles: { by: 'voices', at: 'the audio has left' },
  },
  'speak.preview': {
    meter: 'speak',
    unit: 'second',
    reserves: 'length',
    holder: 'edge/surfaces/speak',
    settles: { by: 'voices', at: 'the preview is stored' },
  },
  'speak.clone': {
    meter: 'hear_async',
    unit: 'second',
    reserves: 'length',
    holder: 'edge/surfaces/speak',
    settles: { by: 'voices', at: 'the voice is stored' },
  },
  'omni.call': {
    meter: 'omni',
    unit: 'second',
    reserves: 'ahead',
    holder: 'edge/surfaces/omni',
    settles: { by: 'calls', at: 'the record is closed' },
  },
  'agents.call': {
    meter: 'agents_beta',
    unit: 'second',
    reserves: 'ahead',
    holder: 'edge/surfaces/omni',
    settles: { by: 'calls', at: 'the record is closed' },
  },
  'telephony.call': {
    meter: 'telephony',
    unit: 'call_minute',
    reserves: 'ahead',
    holder: 'telephony',
    settles: { by: 'telephony', at: 'the call has ended' },
  },
  'messages.answer': {
    meter: 'messages',
    unit: 'call',
    reserves: 'one',
    holder: 'messages',
    settles: { by: 'messages', at: 'the answer is stored' },
  },
  'messages.text': {
    meter: 'messages',
    unit: 'call',
    reserves: 'one',
    holder: 'messages',
    settles: { by: 'messages', at: 'the network has taken the text' },
  },
  'amd.detection': {
    meter: 'amd',
    unit: 'call',
    reserves: 'one',
    holder: 'edge/surfaces/amd',
    settles: { by: 'amd', at: 'the call is answered and decided' },
    bundledWith: ['telephony.call', 'omni.call', 'agents.call'],
  },
  'cast.render': {
    meter: 'speak',
    unit: 'second',
    reserves: 'length',
    holder: 'cast',
    settles: { by: 'cast', at: 'the render is stored' },
  },
  'dub.hearing': {
    meter: 'hear_async',
    unit: 'second',
    reserves: 'length',
    holder: 'dub',
    settles: { by: 'dub', at: 'the result is stored' },
  },
  'dub.speech': {
    meter: 'speak',
    unit: 'second',
    reserves: 'length',
    holder: 'dub',
    settles: { by: 'dub', at: 'the result is stored' },
  },
  'trace.finding': {
    meter: null,
    unit: 'second',
    reserves: 'nothing',
    holder: 'trace',
    settles: { by: 'trace', at: 'never: what it reads was paid for when it was heard' },
    bundledWith: ['hear.job', 'omni.call', 'agents.call'],
  },
  'recap.summary': {
    meter: null,
    unit: 'second',
    reserves: 'nothing',
    holder: 'recap',
    settles: { by: 'recap', at: 'never: what it reads was paid for when it was heard' },
    bundledWith: ['hear.job', 'omni.call', 'agents.call'],
  },
  'knowledge.document': {
    meter: null,
    unit: 'second',
    reserves: 'nothing',
    holder: 'knowledge',
    settles: { by: 'knowledge', at: 'never: its bytes count against the storage quota' },
  },
} as const satisfies Record<string, MeteringRule>;

export type MeteredUse = keyof typeof METERING;
export type BilledUse = {
  [Use in MeteredUse]: (typeof METERING)[Use]['meter'] extends null ? never : Use;
}[MeteredUse];

export const USES = Object.keys(METERING) as readonly MeteredUse[];

export const meteringOf = (use: MeteredUse): MeteringRule => METERING[use];

export const meterOf = (use: BilledUse): Meter => METERING[use].meter;

export const isBilled = (use: MeteredUse): use is BilledUse => METERING[use].meter !== null;
