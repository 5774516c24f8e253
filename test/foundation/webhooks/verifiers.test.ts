import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../../docs/guides/webhooks/verify.ts';
import { webhookSignature } from '../../../src/foundation/webhooks/index.ts';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly now: number;
  readonly body: string;
  readonly headers: Record<string, string>;
}

const folder = fileURLToPath(new URL('../../../docs/guides/webhooks', import.meta.url));
const vectors = JSON.parse(readFileSync(`${folder}/vectors.json`, 'utf8')) as Vector[];

const PYTHON = `
import json, sys
sys.path.insert(0, sys.argv[1])
from verify import verify_webhook, WebhookVerificationError
for vector in json.load(open(sys.argv[1] + "/vectors.json", encoding="utf-8")):
    try:
        event = verify_webhook(vector["body"].encode(), vector["headers"], vector["secret"], vector["now"])
        print(event["id"])
    except WebhookVerificationError:
        print("refused")
`;

describe('the verifiers for receivers', () => {
  it('have cases of both kinds', () => {
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(4);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(12);
  });

  it.each(vectors)('TypeScript: $name', ({ valid, secret, now, body, headers }) => {
    const verify = () => verifyWebhook({ body: Buffer.from(body), headers }, secret, now);
    if (valid) expect(verify().id).toBe('evt_0123456789ABCDEFGHIJ');
    else expect(verify).toThrow(WebhookVerificationError);
  });

  it('Python: the same answers', () => {
    const printed = execFileSync('python3', ['-B', '-c', PYTHON, folder], { encoding: 'utf8' });
    expect(printed.trim().split('\n')).toEqual(
      vectors.map(({ valid }) => (valid ? 'evt_0123456789ABCDEFGHIJ' : 'refused')),
    );
  });

  it('accept what the server signs', () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'x', created_at: 1, data: { text: 'ü' } });
    const headers = { 'x-svc-event-id': 'evt_1', 'x-svc-signature': webhookSignature('secret', body, 1000) };
    expect(verifyWebhook({ body: Buffer.from(body), headers }, 'secret', 1001).type).toBe('x');
  });
});
