// @requirement API contract: Every sample of the reference works as it is pasted.
/**
 * A reader pastes each sample of the reference: curl in a shell, TypeScript for its compiler, Python in an
 * interpreter. A sample may name what this server lacks (404); no sample may be refused for its request.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  curlOf,
  pythonOf,
  type SampledOperation,
  typescriptOf,
} from '../../src/edge/server/contract/reference/samples.ts';
import { OPERATOR_TOKEN, World } from '../contract/world.ts';
import { sampleOf } from '../long-tests.ts';
import { absent, RECORDING } from '../media/codec/recordings.ts';
import { root } from '../running-server.ts';
import { clientsMissing, npmProject, pythonProject } from './packages.ts';

const run = promisify(execFile);
const missing = clientsMissing || absent;
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

/** Numbers come before their uses; operations that end a sign-in, a key or an organization come last. */
function turn(name: string): number {
  if (name === 'post /v1/telephony/numbers') return 0;
  if (/^post \/auth\/(logout|refresh)/.test(name)) return 3;
  return /^(delete|post) \/(auth|v1\/(me|keys|members))/.test(name) ? 2 : 1;
}
const described: [string, SampledOperation][] = world
  ? Object.entries(world.openapi.paths as Record<string, Record<string, SampledOperation['operation']>>)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]): [string, SampledOperation] => [
          `${method} ${path}`,
          { method, path, operation },
        ]),
      )
      .sort(([a], [b]) => turn(a) - turn(b))
  : [];

/**
 * These refusals say what this server lacks, or that an example's secret, file or address does not exist. Both
 * tenants send the same examples, so the second finds numbers and addresses taken.
 */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  'post /auth/login': /^401/,
  'post /auth/refresh': /^401/,
  'post /auth/signup': /already/,
  'post /v1/members/invitations': /already/,
  'post /v1/telephony/numbers': /is already in use/,
  'post /v1/msgapp/numbers': /already registered/,
  'post /v1/messages': /number is no/,
  'post /v1/telephony/calls': /your own numbers|is no agent/,
  'post /v1/telephony/campaigns': /your own numbers|is no agent/,
  'post /v1/telephony/trial-calls': /does not belong to this project/,
  'post /v1/telephony/compliance-cases': /rules_unavailable/,
  'post /deepgram/v1/listen': /is not audio/,
  'post /v1/omni/webrtc': /one audio section/,
  'get /public/msgapp/webhook': /^403/,
  'post /public/msgapp/webhook': /body is not JSON/,
  'post /v1/dub': /unsupported_direction/,
  'post /elevenlabs/v1/dubbing': /unsupported_direction/,
  'post /v1/realtime/calls': /session description/,
  'post /auth/password/change': /current password/,
  'post /v1/messages/hand-overs': /The number does not belong/,
  // The example's origin is on the list only where the sample of the list was sent before.
  'post /v1/omni/sessions': /allow-list/,
  'post /v1/realtime/client_secrets': /allow-list/,
};

function checkUnderstood(name: string, status: number, said: string): void {
  if (status < 300 || status === 404) return;
  expect(`${status} ${said}`).toMatch(ALLOWED[name] ?? /^2/);
}

/** These succeed, and remove the credentials of every later sample. */
const DELETES_THE_ACCOUNT = new Set(['delete /v1/organization', 'delete /auth/account']);
const runnable = described.filter(([name]) => !DELETES_THE_ACCOUNT.has(name));

/** The short form sends every fourth operation, by curl and by Python; the compiler checks all. */
const sampled = sampleOf(runnable, 4);

const folder = mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
if (!missing) copyFileSync(RECORDING, join(folder, 'recording.wav'));
writeFileSync(join(folder, 'body'), 'v=0');

describe.skipIf(missing)('curl', () => {
  it.each(sampled)(
    '%s',
    async (name, one) => {
      const command = curlOf(world!.url, one).replace(/^curl/, 'curl -sS -m 100 -w "\\n%{http_code}"');
      const { stdout } = await run('sh', ['-c', command], {
        cwd: folder,
        maxBuffer: 2 ** 25,
        env: { ...process.env, KEY: world!.ours.key, SESSION: world!.ours.session, OPERATOR_TOKEN },
      });
      const [, said = '', status] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
      checkUnderstood(name, Number(status), said);
    },
    120_000,
  );
});

describe.skipIf(missing)('TypeScript', () => {
  it('takes every sample', async () => {
    const project = await npmProject(world!);
    const uses = described.map(([, one], at) => {
      const text = typescriptOf(one);
      return `export async function use${at}(trunkline: Trunkline, audio: Blob, file: Blob, body: Blob) { ${text} return answer; }`;
    });
    writeFileSync(
      join(project, 'samples.mts'),
      `import { Trunkline } from 'trunkline-client';\n${uses.join('\n')}\n`,
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom',
    ];
    const said = await run(process.execPath, [compiler, ...options, 'samples.mts'], { cwd: project }).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );
    expect(said).toBe('');
  }, 900_000);
});

describe.skipIf(missing)('Python', () => {
  const tokenOf = (code: string): string => {
    if (!code.startsWith('#')) return world!.theirs.key;
    return code.includes('operator') ? OPERATOR_TOKEN : world!.theirs.session;
  };
  let ask: (code: string) => Promise<{ status?: number; detail?: string; broken?: string }>;
  beforeAll(async () => {
    const python = await pythonProject(world!);
    const child = spawn(python, [join(import.meta.dirname, 'run_samples.py'), world!.url], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    afterAll(() => void child.kill());
    const lines: Interface = createInterface({ input: child.stdout });
    ask = async (code) => {
      child.stdin.write(`${JSON.stringify({ code, token: tokenOf(code) })}\n`);
      const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
      return JSON.parse(String(line));
    };
  }, 900_000);

  it.each(sampled)(
    '%s',
    async (name, one) => {
      const { status = 0, detail = '', broken } = await ask(pythonOf(one));
      expect(broken).toBeUndefined();
      checkUnderstood(name, status, detail);
    },
    120_000,
  );
});
