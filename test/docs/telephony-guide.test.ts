// @requirement Guides: Each block of a guide runs, or says why it does not.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readNetwork } from '../../src/telephony/carriers/index.ts';
import { NumberSettings } from '../../src/telephony/dialling/index.ts';
import { absent, openPhones } from '../edge/surfaces/telephony/server.ts';
import { readGuide } from './guide.ts';

const root = join(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/guides/telephony.md'), 'utf8');
const blocks = readGuide('telephony.md').blocks.flatMap(({ kind, text }) => (kind === 'run' ? [text] : []));

describe('the guide to telephone calls', () => {
  it.skipIf(absent)(
    'has commands that work from the first to the last',
    async () => {
      const phones = await openPhones();
      expect(blocks.length).toBeGreaterThan(2);
      const script = ['set -eo pipefail', ...blocks].join('\n');
      const env = { ...process.env, URL: phones.url, KEY: phones.authorization.replace('Bearer ', '') };
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
      expect(stdout).toMatch(/"object":"telephony.call"/);
      expect(stdout).toMatch(/"added":2,"targets":2/);
      expect(stdout).toMatch(/"object":"telephony.campaign_report"/);
      await phones.stop();
    },
    240_000,
  );

  it('names every number of the network, and every setting of a number', () => {
    const network = readNetwork(
      readFileSync(join(root, 'src/telephony/carriers/loopback/network.yaml'), 'utf8'),
      'scenarios',
    );
    for (const number of network.keys())
      expect(guide.includes(number) || guide.includes(`…${number.slice(-4)}`), number).toBe(true);
    for (const name of Object.keys(NumberSettings.properties)) expect(guide, name).toContain(`\`${name}\``);
  });
});
