import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigError, environmentName, loadConfig } from '../../../src/foundation/platform/config/index.ts';

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(environment, '/srv');
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const fileWith = (content: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'config-')), 'trunkline.json');
  writeFileSync(path, content);
  return path;
};

describe('configuration', () => {
  it('starts with nothing said', () => {
    const config = loadConfig({ PATH: '/bin' }, '/srv');
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, databaseUrl: null, device: 'auto' });
    expect(config.data).toBe('/srv/data');
  });

  it('reads each type from the environment', () => {
    const config = loadConfig({
      TRUNKLINE_PORT: '0',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      TRUNKLINE_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1',
      TRUNKLINE_S3_BUCKET: 'blobs',
    });
    expect(config.port).toBe(0);
    expect(config.allowLoopbackUrls).toBe(true);
    expect(config.trustedProxies).toEqual(['10.0.0.0/8', '192.0.2.1']);
    expect(config.s3Bucket).toBe('blobs');
  });

  it('lists every problem at once', () => {
    const problems = problemsOf({
      TRUNKLINE_PORT: '99999',
      TRUNKLINE_DEVICE: 'tpu',
      TRUNKLINE_DATABASE_URL: 'mysql://x/y',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'perhaps',
      TRUNKLINE_DRAIN_SECONDS: '1.5',
      TRUNKLINE_BRAIN_URL: 'http://127.0.0.1:1/v1',
      TRUNKLINE_TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/99, 1.2.3',
    });
    expect(problems).toHaveLength(8);
    expect(problems.join('\n')).toMatch(/: 1.2.3 is neither/);
    expect(problems.join('\n')).toMatch(/10.0.0.0\/99 is neither an address nor a CIDR range/);
    expect(problems.join('\n')).toMatch(/TRUNKLINE_PORT must be an integer from 0 to 65535, received 99999/);
    expect(problems.join('\n')).toMatch(/TRUNKLINE_DEVICE must be one of auto, cpu, cuda/);
    expect(problems.join('\n')).toMatch(/TRUNKLINE_BRAIN_URL needs TRUNKLINE_BRAIN_MODEL/);
  });

  it('reports a name that is no setting, with the one that was likely meant', () => {
    expect(problemsOf({ TRUNKLINE_PROT: '1' })).toEqual([
      'TRUNKLINE_PROT is not a setting; did you mean TRUNKLINE_PORT?',
    ]);
    expect(problemsOf({ TRUNKLINE_SOMETHING_ELSE: '1' })).toHaveLength(1);
  });

  it('takes no offence at what commands and clients read', () => {
    expect(() => loadConfig({ TRUNKLINE_URL: 'http://127.0.0.1:8080', TRUNKLINE_KEY: 'svc_' })).not.toThrow();
  });

  it('lets the environment win over the file, and checks the file alike', () => {
    const path = fileWith(JSON.stringify({ port: 9000, host: '0.0.0.0' }));
    const config = loadConfig({ TRUNKLINE_CONFIG: path, TRUNKLINE_PORT: '9001' });
    expect(config).toMatchObject({ port: 9001, host: '0.0.0.0' });
    const wrong = fileWith(JSON.stringify({ port: '9000', s3_buckte: 'x' }));
    expect(problemsOf({ TRUNKLINE_CONFIG: wrong })).toEqual([
      's3_buckte in the file is not a setting; did you mean s3_bucket?',
      'port in the file must be an integer from 0 to 65535, received "9000"',
    ]);
    expect(problemsOf({ TRUNKLINE_CONFIG: fileWith('[1') })[0]).toMatch(/cannot read/);
    const [torn] = problemsOf({ TRUNKLINE_CONFIG: fileWith('{"operator_token": supersecret}') });
    expect(torn).toMatch(/cannot read .* not valid JSON/);
    expect(torn).not.toContain('supers');
  });

  it('takes no address that is none, and the public one with or without a slash at its end', () => {
    const wrong = {
      OTLP_URL: 'http://[',
      BRAIN_URL: 'http://a b',
      BASE_URL: 'http://[',
      REDIS_URL: 'redis://[',
    };
    const environment = Object.fromEntries(
      Object.entries(wrong).map(([name, said]) => [`TRUNKLINE_${name}`, said]),
    );
    const problems = problemsOf({ ...environment, TRUNKLINE_BRAIN_MODEL: 'm' });
    for (const name of Object.keys(wrong)) expect(problems).toContain(`TRUNKLINE_${name} is not a valid URL`);
    expect(problemsOf({ TRUNKLINE_BASE_URL: 'https://a:b@voice.example/?x' })).toEqual([
      'TRUNKLINE_BASE_URL must not have a query, a fragment, a user or a password',
    ]);
    for (const said of ['https://voice.example', 'https://voice.example/', 'https://voice.example//'])
      expect(loadConfig({ TRUNKLINE_BASE_URL: said }).baseUrl).toBe('https://voice.example');
  });

  it('takes a time zone by its IANA name', () => {
    for (const zone of ['Europe/Madrid', 'Asia/Kolkata', 'UTC'])
      expect(loadConfig({ TRUNKLINE_TIME_ZONE: zone }).timeZone).toBe(zone);
    for (const zone of ['Mars/Olympus', 'half past nine'])
      expect(problemsOf({ TRUNKLINE_TIME_ZONE: zone })).toEqual([
        `TRUNKLINE_TIME_ZONE: ${zone} is not an IANA time zone such as Europe/Madrid`,
      ]);
    expect(loadConfig({}).timeZone).toBeNull();
  });

  it('never shows a secret, neither printed nor in a problem', () => {
    const config = loadConfig({
      TRUNKLINE_OPERATOR_TOKEN: 'operator-token-of-the-test',
      TRUNKLINE_DATABASE_URL: 'postgres://user:hunter2@db/trunkline',
      TRUNKLINE_BRAIN_KEY: 'sk-secret',
    });
    for (const shown of [JSON.stringify(config), inspect(config)]) {
      expect(shown).not.toMatch(/operator-token|hunter2|sk-secret/);
      expect(shown).toMatch(/user:\*\*\*@db/);
    }
    expect(problemsOf({ TRUNKLINE_OPERATOR_TOKEN: 'too-short' }).join()).not.toMatch(/too-short/);
  });

  it('names a variable as the table says', () => {
    expect(environmentName('s3AccessKeyId')).toBe('TRUNKLINE_S3_ACCESS_KEY_ID');
  });
});
