// @requirement Measuring: The latency harness measures response latency, interruptions and ducking, and compares runs.
// @requirement Guides: Each block of a guide runs, or says why it does not.
// @requirement Guides: curl, TypeScript and Python of the guides give the output that is shown.
// @requirement Guides: The guide of the first hour runs in its order.
// @requirement Guides: `trunkline brain check` diagnoses an endpoint.
// @requirement Guides: Each query and alert of the Grafana board has a metric.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  environmentName,
  loadConfig,
  SETTINGS,
  type SettingName,
} from '../../src/foundation/platform/config/index.ts';
import { brainEntries, brainHeaders } from '../../src/main/brain-settings.ts';
import { voiceProviderEntries } from '../../src/main/voice-providers.ts';
import { clientsMissing } from '../clients/packages.ts';
import { World } from '../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../conversation/brains/endpoint/scripted-endpoint.ts';
import { long, sampleOf } from '../long-tests.ts';
import { absent } from '../media/codec/recordings.ts';
import { compileProgram } from '../running-server.ts';
import { type Clamd, clamdAbsent, signatureOf, startClamd } from '../telephony/compliance/clamd.ts';
import { missingOutput, unsaidIn, unsaidJson } from './expected-output.ts';
import { type Block, GUIDES, readGuide } from './guide.ts';
import { readerOf } from './guide-readers.ts';
import { followed } from './session.ts';
import { typeErrorsOf } from './type-check.ts';

const ELSEWHERE: Readonly<Record<string, string>> = {
  'appliance.md': '../debian/drill.long.test.ts',
  'integrations.md': 'integrations-guide.test.ts',
  'telephony.md': 'telephony-guide.test.ts',
};

const isCommand = ({ kind }: Block): boolean => kind === 'run' || kind === 'excused';
const runHere = GUIDES.filter((name) => !(name in ELSEWHERE)).filter((name) =>
  readGuide(name).blocks.some(({ kind }) => kind === 'run'),
);

it('have blocks that a test runs, or a reader is told why none does', () => {
  expect(GUIDES.flatMap((name) => readGuide(name).blocks.filter(isCommand)).length).toBeGreaterThan(40);
  for (const [name, file] of Object.entries(ELSEWHERE))
    expect(readFileSync(join(import.meta.dirname, file), 'utf8'), name).toContain(name);
});

it('have JSON that is JSON', () => {
  for (const name of GUIDES)
    for (const { kind, text, ...block } of readGuide(name).blocks)
      if (kind === 'data' && 'language' in block && block.language === 'json')
        expect(() => allOf(text), `${name}:${block.line}`).not.toThrow();
});

const settingsIn = (text: string): [string, string][] =>
  [...text.matchAll(/^(TRUNKLINE_[A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);

// @requirement Guides: Settings in guides exist, and the index lists every guide.
it('name settings that there are, with values that the server takes', () => {
  const known = new Set(Object.keys(SETTINGS).map((name) => environmentName(name as SettingName)));
  const elsewhere = ['TRUNKLINE_URL', 'TRUNKLINE_KEY', 'TRUNKLINE_CONFIG'];
  let shown = 0;
  for (const name of GUIDES) {
    const { prose, blocks } = readGuide(name);
    const texts = [prose, ...blocks.map(({ text }) => text)];
    for (const [said] of texts.join('\n').matchAll(/TRUNKLINE_[A-Z0-9_]*[A-Z0-9]/g))
      if (!elsewhere.includes(said)) expect(known, `${name}: ${said}`).toContain(said);
    for (const block of blocks) {
      if (block.kind !== 'data' || block.language !== 'ini') continue;
      const config = loadConfig(Object.fromEntries(settingsIn(block.text)));
      const read = [brainEntries(config), brainHeaders(config), voiceProviderEntries(config)];
      expect(read, `${name}:${block.line}`).toHaveLength(3);
      shown += settingsIn(block.text).length;
    }
  }
  expect(shown).toBeGreaterThan(15);
});

it('are all in their index', () => {
  const { prose } = readGuide('README.md');
  for (const name of GUIDES) if (name !== 'README.md') expect(prose).toContain(`](${name}`);
});

function allOf(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }
}

it('tell what was not said as shown, and let ids and numbers differ', () => {
  const said = 'passed  one (1 of 1)\nagent agt_0123456789 took 4.5 s\n';
  expect(missingOutput('agent agt_… took 1,200 s', said)).toBeUndefined();
  expect(missingOutput('passed  two…', said)).toBe('passed  two…');
  expect(missingOutput('agent agt_abcdef0000…\npassed…', said)).toBe('passed…');
  expect(unsaidJson({ id: 'agt_…', n: 3 }, { id: 'agt_0123456789', n: 4, more: 1 })).toBeUndefined();
  expect(unsaidJson({ a: [{ b: true }] }, { a: [{ b: false }] })).toBe('$.a.0.b');
});

describe.skipIf(absent || clientsMissing || clamdAbsent)('a stranger who follows', () => {
  let endpoint: ScriptedEndpoint;
  let scanner: Clamd;
  let world: World;
  beforeAll(async () => {
    await compileProgram();
    endpoint = await ScriptedEndpoint.start(ORDERS);
    scanner = await startClamd(signatureOf(Buffer.from('malware'), 'Malware'), 10_000_000);
    const settings = {
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      TRUNKLINE_BRAIN_URL: endpoint.url,
      TRUNKLINE_BRAIN_MODEL: 'scripted',
      TRUNKLINE_CLAMD: scanner.address,
      TRUNKLINE_COMPLIANCE_NETWORK: 'loopback',
    };
    world = await World.open({ settings });
  }, 300_000);
  afterAll(async () => {
    await world?.stop();
    scanner?.stop();
    await endpoint?.close();
  });

  it.each(
    sampleOf(
      runHere.filter((name) => long || !readerOf(name).isSlow),
      3,
    ),
  )(
    '%s',
    async (name) => {
      const reader = readerOf(name);
      const here = (text: string) => text.replaceAll('127.0.0.1:8080', new URL(world.url).host);
      const { prose, blocks } = readGuide(name);
      const guide = { prose, blocks: blocks.map((block) => ({ ...block, text: here(block.text) })) };
      const cwd = await reader.folder(world);
      const { url: URL_, ours } = world;
      const brought = {
        URL: URL_,
        KEY: ours.key,
        TRUNKLINE_KEY: ours.key,
        ...(await reader.bring?.(world, cwd)),
      };
      const set = Object.entries(brought).filter(([variable]) => prose.includes(`\`${variable}\``));
      const env = { ...Object.fromEntries(set), TRUNKLINE_DATA: world.data };
      const python = await reader.python?.(world);
      expect(await typeErrorsOf(guide, cwd)).toBe('');
      const said = await followed(guide, { cwd, env, ...(python === undefined ? {} : { python }) });
      expect(unsaidIn(guide, said)).toBeUndefined();
      rmSync(cwd, { recursive: true, force: true });
    },
    600_000,
  );
});
