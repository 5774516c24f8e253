// @requirement Clients: Both clients are generated, packed, installed and typed.
// @requirement Clients: The clients help with streams, calls, webhooks, pages, retries and errors.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../contract/world.ts';
import { root } from '../running-server.ts';
import { clientsMissing, pythonProject } from './packages.ts';

const world = clientsMissing ? null : await World.open();
afterAll(() => world?.stop());

const PROGRAM = `
import httpx, json, sys
from trunkline_client import Retries, TrunklineError, WebhookSignatureError, verify_webhook
from trunkline_client import retries

judged = []
for one in json.load(open(sys.argv[1], encoding="utf-8")):
    headers = one["headers"]
    try:
        event = verify_webhook(one["body"].encode(), headers.get("x-svc-signature"), one["secret"],
                               headers.get("x-svc-event-id"), now=one["now"],
                               previous_signature=headers.get("x-svc-signature-previous"))
        judged.append(event["id"].startswith("evt_"))
    except (WebhookSignatureError, ValueError):
        judged.append(False)

def sent(method, status, retry_after, headers=None):
    waits, count = [], []
    retries.time.sleep = waits.append
    def answer(request):
        count.append(request)
        return httpx.Response(status if len(count) == 1 else 200, headers={"retry-after": retry_after})
    with httpx.Client(transport=retries.RetryTransport(Retries(), httpx.MockTransport(answer))) as client:
        client.request(method, "http://server/", headers=headers)
    return [len(count), waits]

print(json.dumps({"judged": judged, "limited": sent("POST", 429, "7"), "far": sent("GET", 429, "86400"),
                  "away": sent("POST", 503, "1"), "keyed": sent("POST", 503, "1", {"idempotency-key": "k"})}))
`;

describe.skipIf(clientsMissing)('the wheel', () => {
  let python: string;
  beforeAll(async () => {
    python = await pythonProject(world!);
  }, 900_000);

  it('judges deliveries, and sends again when it may', async () => {
    const path = join(root, 'docs/guides/webhooks/vectors.json');
    const { stdout } = await promisify(execFile)(python, ['-c', PROGRAM, path]);
    const vectors = JSON.parse(readFileSync(path, 'utf8')) as { valid: boolean }[];
    expect(JSON.parse(stdout)).toEqual({
      judged: vectors.map(({ valid }) => valid),
      limited: [2, [7]],
      far: [1, []],
      away: [1, []],
      keyed: [2, [1]],
    });
  }, 120_000);
});
