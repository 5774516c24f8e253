// @requirement Brains: The caller hears the own voice of a realtime model; the local voice and the next brain end what it leaves.
import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Brain,
  type BrainEvent,
  type BrainRequest,
  createBrainChain,
  createRealtimeBrain,
} from '../../../../src/conversation/brains/index.ts';
import { createVoiceEngine } from '../../../../src/conversation/calls/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { LaneQueue } from '../../../../src/media/engine/index.ts';
import { SpeechProviders } from '../../../../src/speech/providers/index.ts';
import { World } from '../../../contract/world.ts';
import {
  done,
  RealtimeServer,
  type RealtimeTurn,
  sound,
  soundDone,
  transcript,
} from '../../../conversation/brains/realtime/realtime-server.ts';
import { absent as absentAudio, ffmpeg, RECORDING } from '../../../media/codec/recordings.ts';
import { agentSaid, recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni } from './server.ts';

const ANSWER = 'Printing costs nine cents a page.';
const PERSONA = `You are Ada, at the desk of a print shop.\n${ANSWER}`;
/** A machine that is busy with both instances may apologize for a late answer; then the caller asks again. */
const MOST_QUESTIONS = 3;
const TEXT = 'We are open from nine until five, and you may come at any time you like.';
const BEGUN = 'We are open from nine until five, and you may come at ';
const REST = 'any time you like.';
const BYTES_PER_MS = 48;
const AUDIBLE = 300;
const isAbsent = Boolean(absent || absentAudio);

const model = isAbsent ? null : await World.open();
const hostile = isAbsent ? null : await RealtimeServer.start(() => undefined);
let speech: Buffer;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  if (model === null) return;
  const response = await fetch(`${model.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${model.ours.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-speak', voice: 'joe_en_us', input: TEXT, response_format: 'pcm' }),
  });
  speech = Buffer.from(await response.arrayBuffer());
}, 120_000);
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await hostile?.close();
  await model?.stop();
});

const toolOf = (input: Buffer, ...options: string[]): Buffer =>
  spawnSync(ffmpeg, ['-v', 'error', ...options], { input, maxBuffer: 1 << 26 }).stdout;
const question = (): Buffer =>
  toolOf(Buffer.alloc(0), '-i', RECORDING, '-ac', '1', '-ar', '8000', '-f', 's16le', '-');

async function json(world: World, path: string) {
  const headers = { authorization: `Bearer ${world.ours.key}` };
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind.
  return (await world.send(path, { headers })).json as any;
}

async function transcribed(client: Client): Promise<string> {
  const raw = ['-f', 's16le', '-ar', '8000', '-ac', '1', '-i', '-'];
  const body = new FormData();
  body.set('file', new Blob([toolOf(Buffer.concat(client.audio), ...raw, '-f', 'wav', '-')]), 'heard.wav');
  body.set('model', 'whisper-1');
  const headers = { authorization: `Bearer ${model!.ours.key}` };
  const { json: said } = await model!.send('/v1/audio/transcriptions', { method: 'POST', headers, body });
  return String(said?.text);
}

function longestSilenceMs(client: Client): number {
  const audio = Buffer.concat(client.audio);
  const frame = 320;
  const audible: number[] = [];
  for (let at = 0; at + frame <= audio.length; at += frame) {
    let peak = 0;
    for (let i = at; i < at + frame; i += 2) peak = Math.max(peak, Math.abs(audio.readInt16LE(i)));
    if (peak > AUDIBLE) audible.push(at / frame);
  }
  return Math.max(0, ...audible.slice(1).map((at, i) => at - audible[i]!)) * 20;
}

const continuing = (asked: BrainRequest[]): Brain => ({
  name: 'next',
  async *respond(request): AsyncGenerator<BrainEvent> {
    asked.push(request);
    const { begun = '' } = request;
    yield { kind: 'text', text: begun === '' ? TEXT : TEXT.slice(begun.length) };
  },
});

async function openCall() {
  const asked: BrainRequest[] = [];
  const brain = createRealtimeBrain({
    url: hostile!.url,
    name: 'desk',
    model: 'gpt-realtime',
    voice: 'marin',
    firstEventMs: 20_000,
    stallMs: 20_000,
  });
  closing.push(() => brain.close());
  const opened = await openOmni({
    brain: createBrainChain([brain, continuing(asked)]),
    providers: new SpeechProviders({ clock: systemClock, list: [] }),
    modelsSpeak: true,
  });
  const client = await new Client(opened.url).opened();
  const { call_id: id } = await client.configure();
  const finals = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
  const end = async () => {
    client.control({ type: 'end' });
    await client.closed();
    const record = await recordOf(opened, id);
    const { providers } = JSON.parse(record.row.turns ?? '{}') as {
      providers: { kind: string; provider: string; failures: number; sound_ms: number; requests: number }[];
    };
    return { record, voice: providers.filter(({ kind }) => kind === 'speech') };
  };
  return { opened, client, asked, finals, end };
}

async function answeredBy(answer: (turn: RealtimeTurn) => void) {
  hostile!.answer = answer;
  const { client, asked, finals, end } = await openCall();
  client.control({ type: 'user_text', text: 'When are you open?' });
  await client.silenceUntil(() => finals() > 0);
  return { client, asked, ...(await end()) };
}

/** OpenAI's words are ahead of their audio, which comes faster than it is played. */
function speaks(turn: RealtimeTurn, text: string, pcm: Uint8Array): void {
  for (const word of text.match(/\s*\S+\s*/g) ?? []) turn.send(transcript(word));
  for (let at = 0; at < pcm.length; at += 100 * BYTES_PER_MS)
    turn.send(sound(pcm.subarray(at, at + 100 * BYTES_PER_MS)));
}

const ends = (turn: RealtimeTurn): void => {
  turn.send(soundDone);
  turn.send(done());
};
const share = (part: number): Buffer => speech.subarray(0, Math.floor((speech.length * part) / 2) * 2);

describe.skipIf(isAbsent)('the own voice of a realtime model', { timeout: 180_000 }, () => {
  it('of another instance is heard in a whole call, and the record and the ledger have it', async () => {
    const answering = await World.open({
      settings: {
        TRUNKLINE_BRAINS: JSON.stringify([
          {
            name: 'default',
            kind: 'realtime',
            url: `${model!.url}/v1`,
            key: model!.ours.key,
            model: 'gpt-realtime',
            voice: 'joe_en_us',
            first_token_ms: 20_000,
            between_tokens_ms: 20_000,
            first_audio_ms: 20_000,
            between_audio_ms: 10_000,
            usd_per_spoken_hour: 3_600 / 1_000,
          },
        ]),
      },
    });
    closing.push(() => answering.stop());
    const client = await new Client(answering.url, 'format=pcm16&rate=8000', answering.ours.key).opened();
    const { call_id: id } = await client.configure({ persona: PERSONA });
    const answers = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
    for (let asked = 1; asked <= MOST_QUESTIONS && !agentSaid(client).includes(ANSWER); asked++) {
      await client.silence(0.5);
      await client.speak(question());
      await client.silenceUntil(() => answers() >= asked);
    }
    client.control({ type: 'end' });
    await client.closed();
    const path = `/v1/omni/calls/${String(id)}`;
    await expect
      .poll(async () => (await json(answering, path)).status, { timeout: 20_000 })
      .toBe('completed');
    const { providers, degraded } = await json(answering, path);
    expect(degraded.filter(({ step }: { step: string }) => step === 'voice')).toEqual([]);
    const { host } = new URL(model!.url);
    expect(providers).toContainEqual(
      expect.objectContaining({ kind: 'speech', provider: 'brain:default', host, failures: 0 }),
    );
    const used = providers.find(({ kind }: { kind: string }) => kind === 'speech');
    expect(used.sound_ms).toBeGreaterThan(1_000);
    expect(await transcribed(client)).toMatch(/(nine|9) cents? a page/i);
  });

  it('speaks an answer whose words are ahead of its audio', async () => {
    const { client, record, voice } = await answeredBy((turn) => {
      speaks(turn, TEXT, speech);
      ends(turn);
    });
    expect(record.transcript.at(-1)).toBe(`agent: ${TEXT}`);
    expect(record.degraded).toEqual([]);
    expect(voice).toMatchObject([{ provider: 'brain:desk', failures: 0 }]);
    expect(voice[0]!.sound_ms).toBeGreaterThan((speech.length / BYTES_PER_MS) * 0.9);
    expect(await transcribed(client)).toMatch(/open from (nine|9).*(five|5).*come at any time/i);
  });

  const HOSTILE: [string, (turn: RealtimeTurn) => void, string][] = [
    ['stalls within the audio', (turn) => speaks(turn, `${TEXT} `, share(0.5)), 'voice_incomplete'],
    [
      'ends within the audio',
      (turn) => {
        speaks(turn, `${TEXT} `, share(0.4));
        ends(turn);
      },
      'voice_incomplete',
    ],
    [
      'sends no audio',
      (turn) => {
        speaks(turn, `${TEXT} `, share(0));
        ends(turn);
      },
      'voice_incomplete',
    ],
    [
      'sends silence',
      (turn) => {
        speaks(turn, TEXT, Buffer.alloc(speech.length));
        ends(turn);
      },
      'voice_garbage',
    ],
    [
      'does not end',
      (turn) => {
        speaks(turn, TEXT, speech);
        for (let again = 0; again < 8; again++) speaks(turn, '', speech);
      },
      'voice_garbage',
    ],
    [
      'breaks the connection within the audio',
      (turn) => {
        speaks(turn, TEXT, share(0.6));
        turn.socket.close(1011);
      },
      'voice_incomplete',
    ],
  ];

  it.each(HOSTILE)('is replaced where the model %s', async (_what, answer, reason) => {
    const { client, record } = await answeredBy(answer);
    expect(record.transcript.at(-1)).toBe(`agent: ${TEXT}`);
    expect(record.degraded.filter((one) => one.startsWith('voice'))).toEqual([`voice ${reason}`]);
    expect(longestSilenceMs(client), 'the local voice, within 400 ms, and a pause of its own').toBeLessThan(
      750,
    );
  });

  it('is replaced by the next brain within the sentence, where words and audio stall', async () => {
    const { client, record, asked } = await answeredBy((turn) => speaks(turn, BEGUN, share(0.6)));
    expect(asked.map(({ begun }) => begun)).toEqual([BEGUN]);
    expect(record.transcript.at(-1)).toBe(`agent: ${TEXT}`);
    expect(record.degraded).toContain('fallback brain_timeout');
    expect(TEXT.slice(BEGUN.length)).toBe(REST);
    expect(await transcribed(client)).toMatch(/come at any time you like/i);
  });

  it('is not played for an agent that names a voice', async () => {
    const { opened, client, end } = await openCall();
    const providers = new SpeechProviders({ clock: systemClock, list: [] });
    const lanes = new LaneQueue({
      engine: opened.engine,
      clock: systemClock,
      waitMs: 10_000,
      betterNode: () => null,
    });
    const voices = createVoiceEngine(lanes, { clock: systemClock, providers, modelsSpeak: true });
    const [options] = opened.lanes;
    const plays = async (more: object) => {
      const lane = await voices.openLane({ ...options!, ...more });
      lane.close();
      return lane.playsModelVoice === true;
    };
    expect(await plays({})).toBe(true);
    expect(await plays({ voiceProvider: 'local' })).toBe(false);
    expect(client.closeCode).toBeNull();
    await end();
  });

  it('is stopped by an interruption, and the next request has the words that were played', async () => {
    hostile!.answer = (turn) => {
      speaks(turn, TEXT, speech);
      ends(turn);
    };
    const { client, finals, end } = await openCall();
    client.control({ type: 'user_text', text: 'When are you open?' });
    await client.silenceUntil(() => client.audioBytes > 2 * 8 * 2_500);
    client.control({ type: 'interrupt' });
    await client.silenceUntil(() => finals() > 0);
    const played = agentSaid(client);
    expect(played).not.toBe('');
    expect(TEXT.startsWith(played)).toBe(true);
    expect(played.length).toBeLessThan(TEXT.length);
    client.control({ type: 'user_text', text: 'And on Sundays?' });
    await client.silenceUntil(() => finals() > 1);
    const items = hostile!.last.events.flatMap(({ item }) =>
      item?.role === 'assistant' ? [item.content] : [],
    );
    expect(items).toEqual([[{ type: 'output_text', text: played }]]);
    const { record } = await end();
    expect(record.transcript).toContain(`agent: ${played}`);
  });
});
