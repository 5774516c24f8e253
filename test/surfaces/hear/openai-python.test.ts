/** The OpenAI client of PyPI, installed for these tests alone, against the running server. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, openHear, plain, RECORDING, SPOKEN } from './server.ts';

const VERSION = '3.54.0';
const folder = join(process.cwd(), 'build-test', `python-openai-${VERSION}`);

/** Why the client cannot be had; empty when it is there. In CI that is a failure. */
function install(): string {
  if (existsSync(folder)) return '';
  const arriving = `${folder}.${process.pid}`;
  const args = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  try {
    execFileSync('python3', [...args, '--target', arriving, `openai==${VERSION}`], { stdio: 'pipe' });
    renameSync(arriving, folder);
    return '';
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (existsSync(folder)) return '';
    if (process.env.CI === 'true') throw error;
    return 'pip install openai failed';
  }
}

const missing = absent || install();
if (missing) console.warn(`the test with PyPI's openai is skipped: ${missing}`);

describe.skipIf(missing)('the OpenAI client of PyPI', () => {
  it('works unchanged', async () => {
    const server = await openHear();
    const { stdout } = await promisify(execFile)(
      'python3',
      ['test/surfaces/hear/openai_client.py', `${server.url}/v1`, OneKeyAccess.KEY, RECORDING],
      { env: { ...process.env, PYTHONPATH: folder } },
    );
    const [json, text, verbose, refused] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(plain(json.json)).toContain(SPOKEN);
    expect(plain(text.text)).toContain(SPOKEN);
    expect(plain(verbose.text)).toContain(SPOKEN);
    expect(verbose.words.map(([word]: [string]) => word).join(' ')).toBe(verbose.text);
    expect(verbose.duration).toBeCloseTo(9.655, 1);
    expect(verbose.segments.length).toBeGreaterThan(0);
    expect(refused).toEqual({ status: 400, code: 'invalid_audio' });
  }, 120_000);
});
