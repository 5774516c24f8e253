import type { PeerCodec, PeerFormat } from '../protocol.ts';

/** A format in SDP: `name` in lower case with its clock, such as `opus/48000`. */
export interface OfferedFormat {
  readonly type: number;
  readonly name: string;
  readonly parameters: string;
}

/** The Opus parameters of this side: packets of 20 ms, in-band FEC and DTX. */
export const OPUS_WISHES = 'minptime=10;useinbandfec=1;usedtx=1';

const NAMES: Readonly<Record<string, PeerCodec>> = {
  'opus/48000/2': 'opus',
  'opus/48000': 'opus',
  'pcmu/8000': 'pcmu',
  'pcma/8000': 'pcma',
};

export function offeredFormats(opus: boolean) {
  const codecs: { codec: PeerCodec; payloadType: number }[] = [
    { codec: 'pcmu', payloadType: 0 },
    { codec: 'pcma', payloadType: 8 },
  ];
  const keys = [{ type: 101, clock: 8000 }];
  if (!opus) return { codecs, keys };
  return {
    codecs: [{ codec: 'opus' as const, payloadType: 111 }, ...codecs],
    keys: [{ type: 110, clock: 48_000 }, ...keys],
  };
}

export function chosenFormat(theirs: readonly OfferedFormat[], opus: boolean): PeerFormat | null {
  const spoken = theirs.find(({ name }) => name in NAMES && (opus || NAMES[name] !== 'opus'));
  if (spoken === undefined) return null;
  const codec = NAMES[spoken.name] as PeerCodec;
  const clock = codec === 'opus' ? 48_000 : 8000;
  const events = theirs.filter(({ name }) => name.startsWith('telephone-event/'));
  const event = events.find(({ name }) => name === `telephone-event/${clock}`) ?? events[0];
  const keys = event === undefined ? null : { type: event.type, clock: Number(event.name.split('/')[1]) };
  const wants = (parameter: string) => new RegExp(`(^|[; ])${parameter}=1`).test(spoken.parameters);
  const wishes = { repeats: wants('useinbandfec'), pauses: wants('usedtx') };
  return { codec, payloadType: spoken.type, keys, ...wishes };
}
