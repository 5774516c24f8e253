/** Whoever generates a Python client with openapi-python-client and the configuration of the guide gets every operation. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { World } from '../contract/world.ts';
import { root } from '../running-server.ts';
import { clientsMissing } from './packages.ts';

interface Tools {
  pythonTools(root: string): Promise<string>;
}
interface Python {
  contentTypeOverrides(description: object): Readonly<Record<string, string>>;
}

const CONFIGURATION = join(root, 'docs/guides/clients/openapi-python-client.yaml');

const world = clientsMissing ? null : await World.open();
afterAll(() => world?.stop());
const folder = mkdtempSync(join(tmpdir(), 'generated-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(clientsMissing)('openapi-python-client', () => {
  const client = join(folder, 'client');
  let said: string;
  beforeAll(async () => {
    const { pythonTools } = (await import(join(root, 'scripts/clients/tools.mjs'))) as Tools;
    const python = join(await pythonTools(root), 'bin/python');
    const description = join(folder, 'openapi.json');
    writeFileSync(description, JSON.stringify(world!.openapi));
    const args = ['generate', '--path', description, '--config', CONFIGURATION, '--output-path', client];
    const ran = await promisify(execFile)(
      python,
      ['-m', 'openapi_python_client', ...args, '--meta', 'none'],
      { maxBuffer: 1 << 26 },
    );
    said = ran.stdout + ran.stderr;
  }, 600_000);

  const module = (path: string): string => readFileSync(join(client, path), 'utf8');

  it('leaves nothing out', () => {
    expect(said).not.toMatch(/WARNING|ERROR|[Uu]nsupported/);
  });

  it('makes typed functions of SDP and of audio', () => {
    const call = module('api/omni/post_v1_omni_webrtc.py');
    expect(call).toMatch(/^ {4}body: File/m);
    expect(call).toMatch(/^\) -> .*\bFile\b/m);
    expect(module('api/omni/put_v1_omni_webrtc_call_id.py')).toMatch(/^ {4}body: File/m);
    const speech = module('api/speak/post_v1_audio_speech.py');
    expect(speech).toMatch(/^ {4}body: PostV1AudioSpeechBody/m);
    expect(speech).toMatch(/^\) -> .*\bFile\b/m);
  });

  it('names models by what they are', () => {
    const names = [...module('models/__init__.py').matchAll(/^from \.\w+ import (\w+)$/gm)].map(
      ([, name]) => name,
    );
    for (const name of ['Agent', 'AgentList', 'Call', 'TelephonyCall', 'TranscriptionJob', 'Voice', 'Error'])
      expect(names).toContain(name);
    const byPath = names.filter((name) => /^(Get|Post|Put|Patch|Delete)V1/.test(name!));
    expect(byPath.length).toBeLessThan(names.length / 2);
  });

  it('knows each type by the configuration of the guide', async () => {
    const { contentTypeOverrides } = (await import(join(root, 'scripts/clients/python.mjs'))) as Python;
    const { content_type_overrides: known } = parse(readFileSync(CONFIGURATION, 'utf8'));
    expect(known).toEqual(contentTypeOverrides(world!.openapi));
  });
});
