import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signedRequest } from '../../src/foundation/webhooks/index.ts';
import { scopeFor } from '../foundation/access/tenant-scopes.ts';
import { pythonWith } from '../python-package.ts';

const VERIFY = (module: string) => `
import json, sys
from ${module} import Webhook
given = json.load(sys.stdin)
Webhook(given["secret"]).verify(given["body"], given["headers"])
print(json.loads(given["body"])["id"])
`;

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

describe.each([
  ['standardwebhooks', '1.1.0', 'standardwebhooks'],
  ['svix', '2.9.1', 'svix.webhooks'],
])('%s %s', (name, version, module) => {
  const python = pythonWith(name, version);

  const verify = (secret: string, headers: object, body: string) =>
    execFileSync(`${python.folder}/bin/python`, ['-c', VERIFY(module)], {
      input: JSON.stringify({ secret, headers, body }),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    }).trim();

  it.skipIf(python.missing !== '')(
    'accepts a delivery by either secret, and no other',
    { timeout: 60_000 },
    () => {
      const [current, previous] = [newSecret(), newSecret()];
      const body = JSON.stringify({
        id: 'evt_1',
        type: 'omni.call.ended',
        created_at: 1,
        data: { text: 'ü' },
      });
      const { headers } = signedRequest('https://example.com/', {
        scope: scopeFor('org_1'),
        eventId: 'evt_1',
        type: 'omni.call.ended',
        body,
        idempotencyKey: null,
        secrets: { current, previous },
        now: Date.now(),
      });
      expect(verify(current, headers, body)).toBe('evt_1');
      expect(verify(previous, headers, body)).toBe('evt_1');
      expect(() => verify(newSecret(), headers, body)).toThrow();
      expect(() => verify(current, headers, body.replace('evt_1', 'evt_2'))).toThrow();
      expect(() => verify(current, { ...headers, 'webhook-timestamp': '1' }, body)).toThrow();
    },
  );
});
