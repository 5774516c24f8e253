import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { openCoreServices } from '../../../src/main/main.ts';
import { bearer } from '../../foundation/access/access-service.ts';
import { outputOf } from './output-of.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-setup-'));
  file = join(folder, 'trunkline.json');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({ TRUNKLINE_DATA: join(folder, 'data'), TRUNKLINE_LOG_LEVEL: 'silent' });
const setup = (...args: string[]) => outputOf(['setup', '--yes', '--out', file, ...args], environment());
const written = async (path = file) => JSON.parse(await readFile(path, 'utf8'));
const CADDY = ['--domain', 'voice.example.com', '--carrier', 'none'];

it('writes a configuration for this machine alone where nothing is said', async () => {
  const { code, out } = await setup();
  expect(code).toBe(0);
  expect(out).toContain(`TRUNKLINE_CONFIG=${file} npx trunkline serve`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const config = loadConfig({ TRUNKLINE_CONFIG: file });
  expect(config).toMatchObject({ host: '127.0.0.1', baseUrl: null, carrier: 'loopback' });
  expect(JSON.parse(await readFile(file, 'utf8')).operator_token).toMatch(/^[0-9a-f]{48}$/);
});

it('writes a Caddyfile and believes the proxy of this machine alone with acme', async () => {
  const said = await setup(
    '--domain',
    'voice.example.com',
    '--carrier',
    'twilio',
    '--model',
    'gpt-4o@https://llm.example/v1',
  );
  expect(said).toMatchObject({ code: 0, error: '' });
  expect(said.out).toContain('"twilio_account_sid"');
  expect(said.out).toContain('"brain_key", if the model needs a key');
  const settings = JSON.parse(await readFile(file, 'utf8'));
  expect(settings).toMatchObject({
    carrier: 'twilio',
    brain_url: 'https://llm.example/v1',
    brain_model: 'gpt-4o',
  });
  await expect(readFile(join(folder, 'Caddyfile'), 'utf8')).resolves.toMatch(
    /^voice\.example\.com \{\n[^}]*reverse_proxy 127\.0\.0\.1:8080\n\}/,
  );
  const owner = { TRUNKLINE_TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TRUNKLINE_TWILIO_AUTH_TOKEN: 'token' };
  expect(loadConfig({ TRUNKLINE_CONFIG: file, ...owner })).toMatchObject({
    baseUrl: 'https://voice.example.com',
    host: '127.0.0.1',
    trustedProxies: ['127.0.0.1'],
  });
});

it('makes the first account, whose owner sets the password by a link', async () => {
  const { code, out, error } = await setup('--email', 'owner@example.com', '--carrier', 'twilio');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(
    /owner@example\.com can set the password with this link.*: http:\/\/127\.0\.0\.1:8080\/\S+/,
  );
  const again = await setup('--email', 'owner@example.com', '--replace');
  expect(again).toMatchObject({
    code: 1,
    error: expect.stringContaining('account with this e-mail address'),
  });
});

it('leaves a file that is there, and keeps its secrets where it is to be replaced', async () => {
  await setup();
  const { key_secret: secret } = JSON.parse(await readFile(file, 'utf8'));
  const refused = await setup('--carrier', 'none');
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('was not changed') });
  await setup('--carrier', 'none', '--replace');
  const settings = JSON.parse(await readFile(file, 'utf8'));
  expect(settings.key_secret).toBe(secret);
  expect(settings).not.toHaveProperty('carrier');
});

it('makes no secret of keys for a database that has served, so that its keys keep working', async () => {
  const { out: key } = await outputOf(['keys', 'create', '--live', '--scopes', '*'], environment());
  const { code, out } = await setup();
  expect(code).toBe(0);
  expect(out).toContain('the file gets no "key_secret"');
  const config = loadConfig({ ...environment(), TRUNKLINE_CONFIG: file });
  const services = await openCoreServices(config, createLog({ level: 'silent' }));
  try {
    const asked = services.access.authorize(bearer(key.trim()), { kind: 'key', scope: 'speak:clone' });
    await expect(asked).resolves.toMatchObject({ principal: { environment: 'live' } });
  } finally {
    await services.close();
  }
});

it('takes the secret of keys that the environment has', async () => {
  const given = { ...environment(), TRUNKLINE_KEY_SECRET: 'a secret of the operator, long enough' };
  await outputOf(['setup', '--yes', '--out', file], given);
  expect(await written()).not.toHaveProperty('key_secret');
});

it('replaces what the questions ask for, keeps every other setting, and a copy of the file', async () => {
  await setup('--model', 'gpt-4o@https://llm.example/v1', '--domain', 'voice.example.com', '--tls', 'proxy');
  const others = {
    database_pool: 3,
    twilio_auth_token: 'token',
    s3_bucket: 'bucket',
    brain_key: 'sk-of-llm.example',
  };
  const before = { ...(await written()), ...others };
  await writeFile(file, JSON.stringify(before));
  await setup('--model', 'gpt-5@https://llm.example/v1', '--carrier', 'none', '--replace');
  const { base_url: _, trusted_proxies: __, carrier: ___, ...retained } = before;
  expect(await written()).toEqual({ ...retained, brain_model: 'gpt-5' });
  expect(await written(`${file}.before`)).toEqual(before);
  expect((await stat(`${file}.before`)).mode & 0o777).toBe(0o600);
  const elsewhere = await setup('--model', 'other@https://other.example/v1', '--replace');
  expect(elsewhere.out).toContain('"brain_key", if the model needs a key');
  expect(await written()).not.toHaveProperty('brain_key');
});

it('leaves an earlier file that is no configuration as it is', async () => {
  await writeFile(file, '{ "carrier": ');
  const { code, error } = await setup('--replace');
  expect(code).toBe(2);
  expect(error).toContain(`${file} must contain a JSON object`);
  await writeFile(file, '{ "key_secrets": "" }');
  expect(await setup('--replace')).toMatchObject({
    code: 2,
    error: expect.stringContaining('did you mean key_secret?'),
  });
  expect(await written()).toEqual({ key_secrets: '' });
  expect(await readdir(folder)).toEqual(['trunkline.json']);
});

it('leaves a Caddyfile that is there, and a copy of it where it is to be replaced', async () => {
  const caddy = join(folder, 'Caddyfile');
  await writeFile(caddy, 'other.example.com {\n}\n');
  const refused = await setup(...CADDY);
  expect(refused).toMatchObject({
    code: 1,
    error: expect.stringContaining(`${caddy} already exists and was not changed`),
  });
  await expect(stat(file)).rejects.toThrow();
  expect(await setup(...CADDY, '--replace')).toMatchObject({ code: 0 });
  await expect(readFile(caddy, 'utf8')).resolves.toMatch(/^voice\.example\.com/);
  await expect(readFile(`${caddy}.before`, 'utf8')).resolves.toMatch(/^other\.example\.com/);
});

it.each([
  ['--domain', 'https://voice.example.com', 'expected a host name'],
  ['--tls', 'acme', 'acme needs a public host name'],
  ['--tls', 'ssl', 'expected one of acme, proxy, none'],
  ['--carrier', 'vonage', 'expected one of none, loopback, twilio, sip'],
  ['--model', './absent.gguf', 'there is no file ./absent.gguf'],
  ['--email', 'owner', 'expected an e-mail address'],
])('refuses %s %s and writes nothing', async (option, value, expected) => {
  const { code, error } = await setup(option, value);
  expect(code).toBe(2);
  expect(error).toContain(`error: ${option} ${value}: ${expected}`);
  await expect(stat(file)).rejects.toThrow();
});
