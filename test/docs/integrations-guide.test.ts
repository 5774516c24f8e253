// @requirement Guides: Each block of a guide runs, or says why it does not.
// @requirement Integrations: REST hooks unsubscribe on 410.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ADAPTERS } from '../../src/products/integrations/index.ts';
import { OneKeyAccess } from '../edge/server/fixtures/access.ts';
import { openIntegrations } from '../products/integrations/services.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/integrations.md'), 'utf8');
const commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text as string);

it('has commands that work from the first to the last', async () => {
  expect(commands.length).toBeGreaterThan(3);
  const { hook, url, send, receiver } = await openIntegrations({ entitled: true, at: Date.now() });
  const script = ['set -eo pipefail', ...commands].join('\n').replaceAll('https://example.com', hook);
  const env = { ...process.env, URL: url, KEY: OneKeyAccess.KEY };
  await promisify(execFile)('bash', ['-c', script], { env });
  const { data } = (await send('GET', '/v1/integrations/destinations')).json;
  expect(data).toMatchObject([{ status: 'paused', events: ['recap.call.completed', 'message.failed'] }]);
  expect((await send('GET', '/v1/integrations/zapier/hooks')).json.data).toEqual([]);
  expect((await send('GET', '/v1/integrations/calls')).json.data).toMatchObject([
    { provider_call_id: 'call-17', from: '+15005550001', status: 'queued' },
  ]);
  for (const { headers } of receiver.received) expect(headers['x-svc-signature']).toMatch(/^t=\d+,v1=/);
}, 30_000);

it('names every kind of destination with its settings', () => {
  for (const [kind, { settings }] of Object.entries(ADAPTERS)) {
    const row = guide.split('\n').find((line) => line.startsWith(`| \`${kind}\``));
    for (const name of Object.keys((settings as { properties: object }).properties))
      expect(row, kind).toContain(`\`${name}\``);
  }
});
