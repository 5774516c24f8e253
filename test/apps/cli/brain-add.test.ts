// @requirement Local models: `trunkline brain add`, `list` and `remove` manage GGUF models.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { addedNames, defaultGguf } from '../../../src/main/local-brains.ts';
import { openBrain } from '../../../src/main/open-brain.ts';
import { Engine } from '../../../src/media/engine/index.ts';
import { gguf, HEAD } from '../../conversation/brains/local/gguf-bytes.ts';
import { isAbsent, model, runtimeDir } from '../../conversation/brains/local/real-model.ts';
import { compileProgram } from '../../running-server.ts';
import { outputOf } from './output-of.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-brain-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const environment = (more: Record<string, string> = {}) => ({
  TRUNKLINE_DATA: join(folder, 'data'),
  TRUNKLINE_LOG_LEVEL: 'silent',
  TRUNKLINE_BRAIN_GGUF_CALLS: '1',
  ...more,
});

async function brain(args: readonly string[], more: Record<string, string> = {}) {
  const { code, out, error } = await outputOf(['brain', ...args], environment(more));
  return { code, out: out.trim(), error: error.trim() };
}

function fileOf(name: string, bytes = gguf()): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

it('adds models by name, the first of which answers where none is named, lists and removes them', async () => {
  const config = loadConfig(environment());
  const first = await brain(['add', fileOf('My model (v2).gguf')]);
  expect(first).toMatchObject({ code: 0, error: '' });
  expect(first.out).toContain('My-model-v2-: Tiny, llama, Q4_0');
  expect(first.out).toContain('trained for 2,048 tokens');
  expect(first.out).toContain('npx trunkline brain install');
  expect(first.out).toContain('agents that name no brain');
  await brain(['add', fileOf('other.gguf'), '--name', 'other']);
  expect(addedNames(config)).toEqual(['My-model-v2-', 'other']);
  expect(defaultGguf(config)).toMatch(/My-model-v2-\.gguf$/);
  // `add` makes a hard link to the same bytes, because models are large.
  expect(statSync(defaultGguf(config) as string).ino).toBe(statSync(join(folder, 'My model (v2).gguf')).ino);

  const { out } = await brain(['list']);
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^My-model-v2-: Tiny.*\(answers for agents that name no brain\)$/),
    expect.stringMatching(/^other: Tiny.* MB$/),
  ]);
  expect(await brain(['remove', 'My-model-v2-'])).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, 'My model (v2).gguf'))).toBe(true);
  expect([addedNames(config), defaultGguf(config)]).toEqual([['other'], null]);
  await brain(['add', fileOf('third.gguf'), '--default']);
  expect(defaultGguf(config)).toMatch(/third\.gguf$/);
  expect(defaultGguf({ ...config, brainGguf: '/mine.gguf' })).toBe('/mine.gguf');
});

it('has agents answered by the brain that they name, and says why it cannot', async () => {
  await brain(['add', fileOf('small.gguf')]);
  await brain(['add', fileOf('other.gguf')]);
  const config = loadConfig(environment());
  const engine = new Engine({ models: {}, device: 'cpu' });
  const opened = openBrain(config, createLog({ level: 'silent' }), engine);
  const asked = async (named: object) => {
    const request = { language: 'en' as const, persona: '', tools: [], passages: [], ...named };
    const said = { ...request, messages: [{ role: 'user' as const, content: 'Hello' }] };
    for await (const _event of opened.respond(said, new AbortController().signal));
  };
  try {
    rmSync(join(config.data, 'brains/other.gguf'));
    await expect(asked({ brain: 'other' })).rejects.toThrow(/there is no file .*other\.gguf/);
    await expect(asked({})).rejects.toThrow(/runtime of local models is not installed/);
    await expect(asked({ brain: 'small' })).rejects.toThrow(/runtime of local models is not installed/);
  } finally {
    await opened.close();
    engine.destroy();
  }
});

it('takes the file itself where it is given a link', async () => {
  symlinkSync(fileOf('real.gguf'), join(folder, 'link.gguf'));
  await brain(['add', join(folder, 'link.gguf')]);
  const path = defaultGguf(loadConfig(environment())) as string;
  expect(statSync(path).ino).toBe(statSync(join(folder, 'real.gguf')).ino);
  rmSync(join(folder, 'real.gguf'));
  expect(statSync(path).size).toBe(gguf().length);
});

it.each([
  ['a file that is not there', () => ['/nonexistent.gguf'], /there is no file \/nonexistent\.gguf/],
  ['another format', () => [fileOf('a.gguf', Buffer.from('PK'))], /is not a GGUF file/],
  ['half a file', () => [fileOf('a.gguf', gguf().subarray(0, 90))], /ends within its header/],
  [
    'a component of a model',
    () => [fileOf('a.gguf', gguf({ values: { ...HEAD, 'split.count': 2 } }))],
    /is one part of 2/,
  ],
  ['a name that is none', () => [fileOf('a.gguf'), '--name', '../a'], /\.\.\/a is not a valid name/],
  [
    'a name of the operator’s list',
    () => [fileOf('a.gguf'), '--name', 'fast'],
    /TRUNKLINE_BRAINS already has a brain fast/,
  ],
])('does not add %s, and says why', async (_what, args, message) => {
  const list = JSON.stringify([{ name: 'fast', url: 'http://127.0.0.1:1', model: 'm' }]);
  const { code, error } = await brain(['add', ...args()], { TRUNKLINE_BRAINS: list });
  expect(code).toBe(1);
  expect(error).toMatch(message);
  expect(existsSync(join(folder, 'data/brains'))).toBe(false);
});

it('adds no name twice, and removes nothing that is not there', async () => {
  await brain(['add', fileOf('a.gguf')]);
  expect(await brain(['add', fileOf('a.gguf')])).toMatchObject({
    code: 1,
    error: 'error: a brain named a already exists: choose another --name, or remove it first',
  });
  expect((await brain(['remove', 'b'])).error).toBe('error: there is no brain b: npx trunkline brain list');
});

it.each(['whisper-base', 'gpt-5'])('downloads no %s, which is no language model of the list', async (id) => {
  expect(await brain(['install', '--model', id])).toMatchObject({
    code: 1,
    error: `error: there is no language model ${id} to download; there are: smollm2-135m, qwen2.5-coder-1.5b`,
  });
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

it.skipIf(isAbsent)(
  'installs the runtime, downloads a model of the list and adds it, once',
  { timeout: 240_000 },
  async () => {
    await compileProgram();
    const config = loadConfig(environment());
    mkdirSync(config.data, { recursive: true });
    // npm finds what it would download in place.
    execFileSync('cp', ['-a', runtimeDir, join(config.data, 'llama')]);
    const { code, out, error } = await brain(['install', '--model', 'smollm2-135m']);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^smollm2-135m: Smollm2 135M.*, llama, Q4_1, 135 million parameters, 98 MB$/m);
    expect(out).toMatch(/measured {2}\d+ tokens per second read/);
    expect(addedNames(config)).toEqual(['smollm2-135m']);
    expect(statSync(defaultGguf(config) as string).ino).toBe(statSync(model).ino);
    expect((await brain(['install', '--model', 'smollm2-135m'])).out).toMatch(
      /smollm2-135m was added before$/,
    );
  },
);

it.skipIf(isAbsent)(
  'says of a real model what it is and how quickly it answers, and keeps none that cannot be loaded',
  {
    timeout: 120_000,
  },
  async () => {
    await compileProgram();
    const { data } = loadConfig(environment());
    await brain(['add', fileOf('broken.gguf')]);
    await brain(['remove', 'broken']);
    symlinkSync(runtimeDir, join(data, 'llama'));
    const { code, out } = await brain(['add', model, '--name', 'small']);
    expect(code).toBe(0);
    expect(out).toContain('llama, Q4_1, 135 million parameters, 98 MB');
    expect(out).toMatch(
      /8,192 tokens, the full length that it was trained for, for each of 1 calls; \d+ MB of memory/,
    );
    expect(out).toMatch(/measured {2}[\d,]+ tokens per second read, [\d,]+ generated/);

    const broken = await brain(['add', join(folder, 'broken.gguf')]);
    expect(broken.code).toBe(1);
    expect(broken.error).toMatch(/cannot be loaded.*the model was not added/s);
    expect(readdirSync(join(data, 'brains')).sort()).toEqual(['default', 'small.gguf']);
  },
);
