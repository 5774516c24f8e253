/** Schemathesis of PyPI, in an environment of its own, makes requests from /openapi.json with a live and a sandbox key:
 * the server never fails, and never answers with a status that it does not describe. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const VERSION = '4.32.5';
const folder = join(process.cwd(), 'build-test', `python-schemathesis-${VERSION}`);
/** Requests are made so long with each key. */
const SECONDS = 25;

/** Why the program cannot be had; empty when it is there. In CI that is a failure. */
function install(): string {
  if (existsSync(folder)) return '';
  const arriving = `${folder}.${process.pid}`;
  try {
    execFileSync('python3', ['-m', 'venv', arriving], { stdio: 'pipe' });
    const options = ['--quiet', '--no-input', '--disable-pip-version-check'];
    execFileSync(
      join(arriving, 'bin/python'),
      ['-m', 'pip', 'install', ...options, `schemathesis==${VERSION}`],
      { stdio: 'pipe' },
    );
    renameSync(arriving, folder);
    return '';
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (existsSync(folder)) return '';
    if (process.env.CI === 'true') throw error;
    return 'pip install schemathesis failed';
  }
}

const missing = install();
if (missing) console.warn(`the requests of Schemathesis are not made: ${missing}`);

const world = missing ? null : await World.open();
afterAll(() => world?.stop());

/** Seconds of synthesis or a use of other programs a request: their own tests ask with hostile values. */
const COSTLY = '/v1/audio/speech|/text-to-speech/|/v1/voice/design$';
/** A type of body that the program cannot write: test/surfaces/omni/webrtc sends it. */
const UNWRITABLE = '/v1/omni/webrtc';

describe.skipIf(missing)('Schemathesis', () => {
  const run = async (key: string): Promise<string> => {
    const args = [
      '-m',
      'schemathesis.cli',
      'run',
      `${world?.url}/openapi.json`,
      '--header',
      `Authorization: Bearer ${key}`,
      '--checks',
      'not_a_server_error,status_code_conformance,content_type_conformance',
      '--exclude-path-regex',
      `${COSTLY}|${UNWRITABLE}`,
      '--max-time',
      String(SECONDS),
      '--continue-on-failure',
      '--generation-database',
      'none',
      '--no-shrink',
      '--no-color',
      '--seed',
      '20',
      '--warnings',
      'off',
    ];
    const ran = await promisify(execFile)(join(folder, 'bin/python'), args, { maxBuffer: 1 << 26 }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return `${ran.stdout}${ran.stderr}`;
  };

  it.each(['live', 'sandbox'] as const)(
    'finds nothing with a %s key',
    async (environment) => {
      const made = await world?.send('/v1/keys', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.ours.session}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ environment, scopes: ['*'] }),
      });
      const said = await run(String(made?.json?.api_key));
      expect(said).toMatch(/Test cases:\s+\n?.*[1-9]\d\d+ generated|[1-9]\d\d+ (?:test cases|passed)/i);
      expect(said.slice(said.search(/=+ FAILURES|=+ ERRORS/))).not.toMatch(/FAILURES|ERRORS/);
    },
    120_000,
  );
});
