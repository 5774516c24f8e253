// @requirement API contract: Schemathesis finds nothing with a live and a sandbox key.
/**
 * Schemathesis of PyPI, in an environment of its own, makes requests from /openapi.json with a live and a sandbox
 * key: the server never fails, and never answers with a status that it does not describe.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { pythonWith } from '../python-package.ts';
import { World } from './world.ts';

const SECONDS = 25;

const { folder, missing } = pythonWith('schemathesis', '4.32.5');
if (missing) console.warn(`the requests of Schemathesis are not made: ${missing}`);

const world = missing ? null : await World.open();
afterAll(() => world?.stop());

/** A request here takes seconds of synthesis or starts other programs: their own tests send the hostile values. */
const COSTLY = '/v1/audio/speech|/text-to-speech/|/text-to-voice/|/v1/voice/design$';
/** Schemathesis cannot write this type of body: test/edge/surfaces/omni/webrtc sends it. */
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
