import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BilledUse } from '../../../src/foundation/billing/index.ts';
import { SocketClient } from '../../contract/sockets.ts';
import type { World } from '../../contract/world.ts';
import { joined, recording, silence } from '../../edge/surfaces/amd/sounds.ts';
import { SPEECH } from '../../media/codec/recordings.ts';
import { pollDelay } from '../../poll.ts';

export interface Utterance {
  readonly milliseconds: number;
  readonly count: number;
}

type Wire = (world: World, key: string) => Promise<Utterance>;
/** One run is expensive, so the named test counts what it bills. */
interface Elsewhere {
  readonly elsewhere: string;
}

const SPOKEN = join(SPEECH, 'asterisk_en/agent-newlocation.wav');
const HEADER_BYTES = 44;
const RATE = 8000;
const GOODBYE = 'asterisk_en/vm-goodbye.wav';

const audio = (milliseconds: number): Utterance => ({ milliseconds: Math.round(milliseconds), count: 0 });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const form = (fields: Record<string, string>): FormData => {
  const all = new FormData();
  for (const [name, value] of Object.entries(fields)) all.append(name, value);
  all.append('file', new Blob([readFileSync(SPOKEN)]), 'speech.wav');
  return all;
};

const speech: Wire = async (world, key) => {
  const answer = await fetch(`${world.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Goodbye.', response_format: 'pcm', sample_rate: RATE }),
  });
  return audio((await answer.arrayBuffer()).byteLength / 2 / (RATE / 1000));
};

const transcription: Wire = async (world, key) => {
  const body = form({ language: 'en', response_format: 'verbose_json' });
  const { json } = await world.send('/v1/audio/transcriptions', {
    method: 'POST',
    headers: bearer(key),
    body,
  });
  return audio(Number(json?.duration) * 1000);
};

const job: Wire = async (world, key) => {
  const path = '/v1/transcription/jobs';
  const headers = bearer(key);
  let { json } = await world.send(path, { method: 'POST', headers, body: form({ language: 'en' }) });
  while (json?.status !== 'completed') {
    if (json?.status === 'failed') throw new Error(JSON.stringify(json));
    await pollDelay();
    json = (await world.send(`${path}/${json?.id}`, { headers })).json;
  }
  return audio(Number(json.duration_s) * 1000);
};

const stream: Wire = async (world, key) => {
  const address = `/v1/audio/transcriptions/stream?language=en&sample_rate=${RATE}`;
  const client = await new SocketClient(world, address, key).opened();
  const pcm = readFileSync(SPOKEN).subarray(HEADER_BYTES);
  for (let at = 0; at < pcm.length; at += RATE / 5) client.sendBytes(pcm.subarray(at, at + RATE / 5));
  client.send({ type: 'close' });
  await client.closed;
  const usage = client.messages.filter(({ type }) => type === 'usage').at(-1);
  return audio(usage.billed_seconds * 1000);
};

const call: Wire = (world, key) => callFrom(world, key);

export async function callFrom(world: World, key: string, origin?: string): Promise<Utterance> {
  const address = `/v1/omni?format=pcm16&rate=${RATE}`;
  const client = await new SocketClient(world, address, key, origin).opened();
  client.send({ type: 'configure' });
  await client.until(({ event }) => event === 'configured');
  client.sendBytes(Buffer.concat([Buffer.of(1), Buffer.alloc(RATE / 25)]));
  client.send({ type: 'tool_result', call_id: 'nobody_called', result: null });
  await client.until(({ event }) => event === 'error');
  client.send({ type: 'end' });
  await client.closed;
  return audio(client.messages.find(({ event }) => event === 'ended').duration_s * 1000);
}

const detection: Wire = async (world, key) => {
  const client = await new SocketClient(world, '/v1/amd/stream', key).opened();
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: RATE, channels: 1 };
  const start = { streamSid: 'MZ1', accountSid: 'AC1', callSid: 'CA1', tracks: ['inbound'], mediaFormat };
  client.send({ event: 'start', streamSid: 'MZ1', start });
  const sound = joined(silence(0.6), recording(GOODBYE).subarray(0, 6400), silence(2.5));
  for (let at = 0; at < sound.length; at += 160) {
    const payload = Buffer.from(sound.subarray(at, at + 160)).toString('base64');
    const chunk = String(at / 160 + 1);
    client.send({
      event: 'media',
      streamSid: 'MZ1',
      media: { track: 'inbound', chunk, timestamp: String(at / 8), payload },
    });
  }
  const { answered_by: answer } = await client.until(({ event }) => event === 'amd');
  client.send({ event: 'stop', streamSid: 'MZ1', stop: { accountSid: 'AC1', callSid: 'CA1' } });
  await client.closed;
  return { milliseconds: 0, count: answer === 'human' ? 1 : 0 };
};

/** A new use in the table does not type-check until its wire, or the test that counts it, is listed here. */
export const WIRES: Readonly<Record<BilledUse, Wire | Elsewhere>> = {
  'speak.speech': speech,
  'hear.transcription': transcription,
  'hear.job': job,
  'hear.stream': stream,
  'omni.call': call,
  'amd.detection': detection,
  'speak.preview': { elsewhere: 'edge/surfaces/speak/design.long.test.ts' },
  'messages.text': { elsewhere: 'telephony/messages/billing.test.ts' },
  'messages.answer': { elsewhere: 'telephony/messages/written-tools.test.ts' },
  'speak.clone': { elsewhere: 'edge/surfaces/speak/clones.test.ts' },
  'agents.call': { elsewhere: 'foundation/billing/console-calls.test.ts' },
  'telephony.call': { elsewhere: 'telephony/dialling/telephony-call-store.test.ts' },
  'cast.render': { elsewhere: 'edge/surfaces/cast/renders.test.ts' },
  'dub.hearing': { elsewhere: 'edge/surfaces/dub/dub.test.ts' },
  'dub.speech': { elsewhere: 'edge/surfaces/dub/dub.test.ts' },
};
