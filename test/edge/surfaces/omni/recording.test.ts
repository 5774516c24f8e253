// @requirement Recordings: Recordings are stereo, start after consent, pause by a tool and stay playable when the process dies.
// @requirement Recordings: A recording outlives its node and its disk: parts are stored during the call, and a resumed call is recorded on.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentBody } from '../../../../src/conversation/agents/index.ts';
import type { Brain, BrainEvent } from '../../../../src/conversation/brains/index.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { levelOf, noise } from '../../../media/engine/fixtures/noise.ts';
import { pollDelay } from '../../../poll.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { agentServices } from '../agents/server.ts';
import { absent, Client, type OmniServerOptions, openOmni, VOICE } from './server.ts';

const RATE = 8000;
const AUTHORIZED = { authorization: `Bearer ${OneKeyAccess.KEY}` };

async function* pressing(request: Parameters<Brain['respond']>[0]): AsyncGenerator<BrainEvent> {
  const last = request.messages.at(-1);
  const name = last?.role === 'user' ? /\b(pause|resume)\b/.exec(last.content)?.[1] : undefined;
  if (name === undefined) yield { kind: 'text', text: 'All right.' };
  else yield { kind: 'tool_call', call: { id: name, name: `${name}_recording`, arguments: '{}' } };
}

interface Recorded {
  readonly recording_result: { readonly status: string; readonly starts_at_ms: number };
  readonly transcript: {
    readonly entries: readonly { role: string; start_ms: number; end_ms: number }[];
  };
}

async function openNode(options: OmniServerOptions = {}) {
  let services: ReturnType<typeof agentServices> | undefined;
  const server = await openOmni({
    brain: { name: 'pressing', respond: pressing },
    agents: (storage) => {
      services = agentServices(storage);
      return {
        profiles: services.profiles,
        tools: services.toolProvider,
        memories: services.memories,
        classifyLine: () => 'person',
        knowledge: null,
      } as never;
    },
    ...options,
  });
  await server.storage.db
    .insertInto('nodes')
    .values({ id: server.storage.nodeId, started_at: 0, seen_at: Date.now(), fence: 1, is_lost: 0 })
    .execute();
  return { ...server, agents: services!.agents };
}

async function openRecorded(body: Partial<AgentBody>, options: OmniServerOptions = {}) {
  const server = await openNode(options);
  const profile = { name: 'Maya', voice_id: VOICE, recordings_enabled: true, ...body };
  const agent = await server.agents.create(tenantScopeOf(server.access.principal()), profile, false);
  const query = `format=pcm16&rate=${RATE}&session_label=${agent.id}`;
  const client = await new Client(server.url, query).opened();
  client.control({ type: 'configure' });
  const { call_id: id, resume } = await client.event('configured');
  const get = async (path = '', headers: Record<string, string> = {}) =>
    await fetch(`${server.url}/v1/omni/calls/${String(id)}${path}`, {
      headers: { ...AUTHORIZED, ...headers },
    });
  const hungUp = async (last = client) => {
    last.control({ type: 'end' });
    await last.closed();
    for (;;) {
      const record = (await (await get()).json()) as Recorded;
      if (record.recording_result.status !== 'pending') return record;
      await pollDelay();
    }
  };
  return { ...server, client, get, hungUp, id: String(id), token: (resume as { token?: string })?.token };
}

async function ask(client: Client, text: string): Promise<void> {
  const turns = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
  const before = turns();
  client.control({ type: 'user_text', text });
  await client.silenceUntil(() => turns() > before);
}

const agentSaid = (client: Client, text: RegExp) =>
  client.until(() =>
    client.transcripts.find((one) => one.role === 'agent' && one.final && text.test(one.text)),
  );

/** No two stretches of a chirp are alike, so a search finds its position to the sample. */
/** A frame that a busy machine sends late leaves a gap, so that one of the sound's pieces is looked for. */
function isAgainIn(recorded: Buffer, sound: Buffer): boolean {
  const after = recorded.indexOf(sound) + sound.length;
  return [0, 2000, 4000, 6000].some((from) => recorded.indexOf(sound.subarray(from, from + 1000), after) > 0);
}

function chirp(seconds: number): Buffer {
  const pcm = Buffer.alloc(2 * RATE * seconds);
  for (let at = 0; at < RATE * seconds; at++) {
    const hertz = 300 + (1200 * at) / (RATE * seconds);
    pcm.writeInt16LE(Math.round(6000 * Math.sin((Math.PI * hertz * at) / RATE)), 2 * at);
  }
  return pcm;
}

function sidesOf(wav: Buffer): { left: Buffer; right: Buffer } {
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([2, RATE]);
  const samples = wav.subarray(44, 44 + wav.readUInt32LE(40));
  const left = Buffer.alloc(samples.length / 2);
  const right = Buffer.alloc(samples.length / 2);
  for (let at = 0; at < samples.length / 4; at++) {
    left.writeInt16LE(samples.readInt16LE(4 * at), 2 * at);
    right.writeInt16LE(samples.readInt16LE(4 * at + 2), 2 * at);
  }
  return { left, right };
}

const loudest = (side: Buffer, fromMs: number, toMs: number): number => {
  let most = 0;
  const end = Math.min(side.length / 2, Math.round((toMs * RATE) / 1000));
  for (let at = Math.max(0, Math.round((fromMs * RATE) / 1000)); at < end; at++)
    most = Math.max(most, Math.abs(side.readInt16LE(2 * at)));
  return most;
};

function peakOf(side: Buffer): number {
  let peak = 80;
  for (let at = 80; at < side.length / 2 - 80; at++)
    if (Math.abs(side.readInt16LE(2 * at)) > Math.abs(side.readInt16LE(2 * peak))) peak = at;
  return peak;
}

describe.skipIf(Boolean(absent))('the recording of a call', { timeout: 120_000 }, () => {
  it('has the caller left and the agent right, from the end of the consent line on', async () => {
    const { client, get, hungUp } = await openRecorded({
      consent_line: 'This call is recorded.',
      greeting: 'Good morning, this is Acme.',
    });
    const tone = chirp(1);
    const line = client.silenceUntil(() => client.transcripts.some(({ final }) => final));
    await agentSaid(client, /Acme/);
    await line;
    await client.speak(tone);
    await client.silence(1.5);
    const record = await hungUp();
    expect(record).toMatchObject({
      has_recording: true,
      recording_result: { status: 'success', reason: 'recorded', format: 'wav', redacted_spans: 0 },
    });
    const whole = Buffer.from(await (await get('/recording')).arrayBuffer());
    const { left, right } = sidesOf(whole);
    const { starts_at_ms: start } = record.recording_result;
    const said = record.transcript.entries.find(({ role }) => role === 'agent')!;
    expect(start).toBeGreaterThan(said.start_ms + 500);
    expect(start).toBeLessThan(said.end_ms);
    expect(loudest(right, 0, said.end_ms - start), 'the greeting is heard').toBeGreaterThan(1000);
    expect(left.indexOf(tone), 'every sample of the caller is there').toBeGreaterThan(0);
    const sent = Buffer.concat(client.audio);
    const peak = peakOf(right);
    const heard = right.subarray(2 * (peak - 80), 2 * (peak + 80));
    expect(sent.indexOf(heard)).toBeGreaterThan(0);

    const part = await get('/recording', { range: 'bytes=44-1043' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 44-1043/${whole.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(44, 1044));
    const beyond = await get('/recording', { range: `bytes=${whole.length}-` });
    expect(beyond.status).toBe(416);
  });

  // @requirement Recordings: An agent's recordings have the caller without the line's noise where it asks for that.
  it('has the caller without the noise of the line where the agent asks for that', async () => {
    const recorded = async (body: Partial<AgentBody>) => {
      const { client, get, hungUp } = await openRecorded({ greeting: 'Hello.', ...body });
      await agentSaid(client, /Hello/);
      await client.speak(noise(3 * RATE));
      expect(await hungUp()).toMatchObject({ recording_result: { status: 'success' } });
      const { left, right } = sidesOf(Buffer.from(await (await get('/recording')).arrayBuffer()));
      expect(loudest(right, 0, 60_000), 'the greeting is heard').toBeGreaterThan(1000);
      // The last second but half of one: the denoiser knows the noise by then.
      return levelOf(left.subarray(left.length - 3 * RATE, left.length - RATE));
    };
    const noisy = await recorded({});
    expect(noisy).toBeGreaterThan(1000);
    expect(await recorded({ denoise: ['recording'] })).toBeLessThan(noisy / 10);
  });

  it('does not begin where the consent line was not heard', async () => {
    const { client, get, hungUp } = await openRecorded({
      consent_line: 'This call is recorded for quality, for training, and for whatever else we may think of.',
    });
    await client.until(() => client.audioBytes > 0);
    expect(await hungUp()).toMatchObject({
      has_recording: false,
      recording_result: { status: 'skipped', reason: 'consent_line_not_heard' },
    });
    expect((await get('/recording')).status).toBe(404);
  });

  it('can be played while it is written, and is silent where a tool has paused it', async () => {
    const { client, get, hungUp, dataDir, id } = await openRecorded({
      greeting: 'Hello.',
      builtin_tools: ['pause_recording', 'resume_recording'],
    });
    const first = chirp(0.5);
    const secret = Buffer.from(chirp(1).map((_, at, all) => all[all.length - 1 - at]!));
    await agentSaid(client, /Hello/);
    await client.speak(first);
    await client.silence(2);
    const spooled = readFileSync(join(dataDir, 'recordings', `${id}.wav`));
    expect(sidesOf(spooled).left.indexOf(first)).toBeGreaterThan(0);
    await ask(client, 'Please pause.');
    await client.speak(secret);
    await client.silence(0.5);
    await ask(client, 'Please resume.');
    await client.speak(first);
    await client.silence(1);
    expect(await hungUp()).toMatchObject({ has_recording: true });
    const { left } = sidesOf(Buffer.from(await (await get('/recording')).arrayBuffer()));
    expect(isAgainIn(left, first), 'it goes on').toBe(true);
    expect(left.indexOf(secret.subarray(1000, 1400)), 'nothing of the secret is kept').toBe(-1);
  });

  it('goes on, paused as it was, where the caller reconnects to another node', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'omni-recorded-'));
    const { client, hungUp, get, id, token } = await openRecorded(
      { greeting: 'Hello.', builtin_tools: ['pause_recording', 'resume_recording'] },
      { dataDir, resumable: true },
    );
    const second = await openNode({ dataDir, resumable: true });
    const first = chirp(0.5);
    const secret = Buffer.from(chirp(1).map((_, at, all) => all[all.length - 1 - at]!));
    await agentSaid(client, /Hello/);
    await client.speak(first);
    await client.silence(1);
    await ask(client, 'Please pause.');
    await client.speak(secret);
    client.socket.terminate();

    const again = await new Client(second.url, `format=pcm16&rate=${RATE}`).opened();
    again.control({ type: 'configure', resume: token });
    expect(await again.event('configured')).toMatchObject({ call_id: id, resumed: true });
    await again.speak(secret);
    await ask(again, 'Please resume.');
    await again.speak(first);
    await again.silence(1);
    await ask(again, 'Thank you.');
    await again.silence(1);
    const record = await hungUp(again);
    expect(record.recording_result).toMatchObject({ status: 'success', reason: 'recorded' });
    const { left, right } = sidesOf(Buffer.from(await (await get('/recording')).arrayBuffer()));
    expect(left.indexOf(first)).toBeGreaterThan(0);
    expect(isAgainIn(left, first), 'it goes on').toBe(true);
    for (let part = 0; part + 400 <= secret.length; part += 400)
      expect(left.indexOf(secret.subarray(part, part + 400)), 'nothing of the secret is kept').toBe(-1);
    const { starts_at_ms: start } = record.recording_result;
    const said = record.transcript.entries.filter(({ role }) => role === 'agent').at(-1)!;
    expect(loudest(right, said.start_ms - start, said.end_ms - start)).toBeGreaterThan(1000);
    expect(loudest(right, said.start_ms - start - 900, said.start_ms - start - 100)).toBeLessThan(200);
  });
});
