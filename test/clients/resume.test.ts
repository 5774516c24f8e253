import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { World } from '../contract/world.ts';
import { OneKeyAccess } from '../edge/server/fixtures/access.ts';
import { relayed } from '../edge/server/fixtures/relay.ts';
import { absent, openOmni, VOICE } from '../edge/surfaces/omni/server.ts';
import { sampleOf } from '../long-tests.ts';
import { clientsMissing, npmProject, pythonProject } from './packages.ts';

const missing = clientsMissing || absent;
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const GREETING = 'Good morning. How can I help you today?';
const RESUMED = 'Sorry, we were cut off.';

const SYNC = `
import json, sys
from trunkline_client import ConnectionChange, Event, Transcript, Trunkline

def notify(**what):
    print(json.dumps(what), flush=True)

with Trunkline(sys.argv[1], sys.argv[2]) as trunkline:
    session = trunkline.omni.connect(json.loads(sys.argv[3]))
    said = ""
    for one in session:
        if isinstance(one, ConnectionChange):
            notify(state=one.state)
        if isinstance(one, Event) and one.name == "configured":
            notify(call_id=one.raw["call_id"])
        if isinstance(one, Transcript) and one.final and one.role == "agent":
            said += one.text
            notify(said=one.text)
            if "${RESUMED}" in said:
                session.end()
`;

const ASYNC = `
import asyncio, json, sys
from trunkline_client import AsyncTrunkline, ConnectionChange, Event, Transcript

def notify(**what):
    print(json.dumps(what), flush=True)

async def main():
    async with AsyncTrunkline(sys.argv[1], sys.argv[2]) as trunkline:
        session = await trunkline.omni.connect(json.loads(sys.argv[3]))
        said = ""
        async for one in session:
            if isinstance(one, ConnectionChange):
                notify(state=one.state)
            if isinstance(one, Event) and one.name == "configured":
                notify(call_id=one.raw["call_id"])
            if isinstance(one, Transcript) and one.final and one.role == "agent":
                said += one.text
                notify(said=one.text)
                if "${RESUMED}" in said:
                    await session.end()

asyncio.run(main())
`;

/**
 * A client is connected to the first of two nodes; `cut` breaks its connection, `hang` leaves it without an answer, and both
 * lead the next one to the second.
 */
async function twoNodes() {
  const dataDir = mkdtempSync(join(tmpdir(), 'client-resume-'));
  const node = () => openOmni({ dataDir, resumable: true });
  const first = await node();
  const second = await node();
  const relay = await relayed(first.url);
  return {
    baseUrl: `http://${relay.host}`,
    second,
    cut: (target = second.url) => relay.cut(target),
    hang: () => relay.hang(second.url),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the package is built when the test runs: nothing here has its types.
type Package = any;

describe.skipIf(missing)('a client whose connection breaks', () => {
  let client: Package;
  let python: string;
  beforeAll(async () => {
    const project = await npmProject(world!);
    const path = join(project, 'node_modules/trunkline-client/dist/esm/index.js');
    client = await import(pathToFileURL(path).href);
    python = await pythonProject(world!);
  }, 900_000);

  it.each(sampleOf(['cut', 'hang'] as const, 2))(
    'goes on with its call at another node after a %s, and says so: TypeScript',
    {
      timeout: 60_000,
    },
    async (fault) => {
      const { baseUrl, second, ...faults } = await twoNodes();
      const { omni } = new client.Trunkline({ baseUrl, apiKey: OneKeyAccess.KEY });
      const session = await omni.connect({ configure: { voice_id: VOICE, greeting: GREETING } });
      const { call_id } = session.configured;
      const states: string[] = [];
      const said: string[] = [];
      const ids: string[] = [];
      const sending = setInterval(() => session.sendAudio(new Uint8Array(640)), 20);
      onTestFinished(() => clearInterval(sending));
      for await (const one of session) {
        if (one.kind === 'connection') states.push(one.state);
        if (one.kind === 'connection' && one.state === 'lost')
          session.send({ type: 'context', text: 'A note.' });
        if (one.kind === 'event' && one.event.event === 'configured') ids.push(one.event.call_id);
        if (one.kind !== 'transcript' || !one.final || one.role !== 'agent') continue;
        said.push(one.text);
        if (states.length === 0) faults[fault]();
        else if (said.join(' ').includes(RESUMED)) session.end();
      }
      expect(states).toEqual(['lost', 'resumed']);
      expect(ids).toEqual([call_id, call_id]);
      expect(session.configured).toMatchObject({ resumed: true, call_id });
      await expect.poll(() => second.billed()).toHaveLength(1);
    },
  );

  it('throws where it is told not to resume, or where no node has the call: TypeScript', {
    timeout: 60_000,
  }, async () => {
    const unrelated = await openOmni({ resumable: true });
    const read = async (resume: boolean) => {
      const { baseUrl, cut } = await twoNodes();
      const { omni } = new client.Trunkline({ baseUrl, apiKey: OneKeyAccess.KEY });
      const session = await omni.connect({ resume, configure: { voice_id: VOICE, greeting: GREETING } });
      for await (const one of session) if (one.kind === 'transcript' && one.final) cut(unrelated.url);
    };
    await expect(read(false)).rejects.toMatchObject({ closeCode: 1006 });
    await expect(read(true)).rejects.toMatchObject({ code: 'call_not_live' });
  });

  const inPython = [
    ['Python with asyncio', 'hang', ASYNC],
    ['Python with asyncio', 'cut', ASYNC],
    ['Python', 'cut', SYNC],
    ['Python', 'hang', SYNC],
  ] as const;
  it.each(sampleOf(inPython, 4))(
    'goes on with its call at another node, and says so: %s, after a %s',
    { timeout: 60_000 },
    async (_name, fault, program) => {
      const { baseUrl, second, ...faults } = await twoNodes();
      const settings = JSON.stringify({ voice_id: VOICE, greeting: GREETING });
      const child = spawn(python, ['-c', program, baseUrl, OneKeyAccess.KEY, settings]);
      onTestFinished(() => void child.kill('SIGKILL'));
      let errors = '';
      child.stderr.on('data', (data) => {
        errors += data;
      });
      const reported: { state?: string; call_id?: string; said?: string }[] = [];
      for await (const line of createInterface(child.stdout)) {
        reported.push(JSON.parse(line));
        if (reported.at(-1)?.said !== undefined && !reported.some(({ state }) => state === 'lost'))
          faults[fault]();
      }
      expect(errors).toBe('');
      expect(reported.flatMap(({ state }) => state ?? [])).toEqual(['lost', 'resumed']);
      const ids = reported.flatMap(({ call_id }) => call_id ?? []);
      expect(ids).toEqual([ids[0], ids[0]]);
      await expect.poll(() => second.billed()).toHaveLength(1);
    },
  );
});
