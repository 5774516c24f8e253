// @requirement AMD: AMD serves its configuration, calls, evidence, an SVG and a webhook.
import { describe, expect, it } from 'vitest';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { type AmdServer, absent, CarrierStream, openAmd } from './server.ts';
import { joined, silence, tone } from './sounds.ts';

const json = { ...bearer, 'content-type': 'application/json' };
const get = async (server: AmdServer, path: string) =>
  await fetch(`${server.url}${path}`, { headers: bearer });
const post = async (server: AmdServer, path: string, body: unknown) =>
  await fetch(`${server.url}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) });

async function faxed(server: AmdServer): Promise<string> {
  const carrier = new CarrierStream(server.url);
  await carrier.opened;
  carrier.begin();
  carrier.say(joined(silence(0.5), tone(2.6, 2100), silence(0.3)));
  const { call_id: id } = await carrier.until('amd');
  carrier.send({ event: 'stop' });
  await carrier.closed;
  return id;
}

describe.skipIf(absent)('the routes of detection', () => {
  it('changes what is said of the configuration and keeps the rest', async () => {
    const server = await openAmd();
    expect(await (await get(server, '/v1/amd/config')).json()).toEqual({
      object: 'amd.config',
      aggressiveness: 0.5,
      mode: 'detect',
      timeout_ms: 30_000,
      webhook_url: null,
    });
    const changed = await post(server, '/v1/amd/config', {
      aggressiveness: 0.8,
      webhook_url: 'https://example.com/hook',
    });
    expect(changed.status).toBe(200);
    await post(server, '/v1/amd/config', { mode: 'follow' });
    const asText = await post(server, '/v1/amd/config', { aggressiveness: '0.25' });
    expect(await asText.json()).toMatchObject({ aggressiveness: 0.25 });
    await post(server, '/v1/amd/config', { aggressiveness: 0.8 });
    expect(await (await get(server, '/v1/amd/config')).json()).toMatchObject({
      aggressiveness: 0.8,
      mode: 'follow',
      webhook_url: 'https://example.com/hook',
    });
  });

  it.each([
    [{ aggressiveness: 1.1 }, 'aggressiveness'],
    [{ aggressiveness: '1.1' }, 'aggressiveness'],
    [{ aggressiveness: '' }, 'aggressiveness'],
    [{ aggressiveness: true }, 'aggressiveness'],
    [{ mode: 'guess' }, 'mode'],
    [{ timeout_ms: 100 }, 'timeout_ms'],
    [{ webhook_url: 'http://169.254.169.254/' }, 'webhook_url'],
    [{ something: 1 }, 'something'],
  ])('refuses %j', async (body, param) => {
    const answer = await post(await openAmd(), '/v1/amd/config', body);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: { param: string } }).error.param).toContain(param);
  });

  it('lists, shows and draws a call, and tells the webhook of it in the same transaction', async () => {
    const server = await openAmd();
    await post(server, '/v1/amd/config', { webhook_url: 'https://example.com/hook' });
    const id = await faxed(server);
    const list = (await (await get(server, '/v1/amd/calls?answered_by=fax')).json()) as {
      data: { id: string }[];
    };
    expect(list.data.map((call) => call.id)).toEqual([id]);
    expect(
      ((await (await get(server, '/v1/amd/calls?answered_by=human')).json()) as { data: [] }).data,
    ).toEqual([]);
    const picture = await get(server, `/v1/amd/calls/${id}/picture`);
    expect(picture.headers.get('content-type')).toContain('image/svg+xml');
    expect(await picture.text()).toMatch(/^<svg[\s\S]*fax[\s\S]*<\/svg>$/);
    const [event] = await acrossTenants(server.storage.db).selectFrom('webhook_events').selectAll().execute();
    expect(event!.type).toBe('amd.decided');
    expect(JSON.parse(event!.body).data).toMatchObject({ id, object: 'amd.call', answered_by: 'fax' });
  }, 30_000);

  // @requirement AMD: Corrections feed a confusion matrix and a replay of stored calls.
  it('takes corrections, and reports what was decided and what would have been', async () => {
    const server = await openAmd();
    const [one, two] = [await faxed(server), await faxed(server)];
    expect((await post(server, `/v1/amd/calls/${one}/verdict`, { answered_by: 'fax' })).status).toBe(200);
    const corrected = await post(server, `/v1/amd/calls/${two}/verdict`, { answered_by: 'human' });
    expect(await corrected.json()).toMatchObject({ answered_by: 'fax', corrected_to: 'human' });
    expect(await (await get(server, '/v1/amd/report')).json()).toEqual({
      object: 'amd.report',
      calls: 2,
      right: 1,
      humans_called_machines: 1,
      machines_called_humans: 0,
      confusion: { human: { fax: 1 }, fax: { fax: 1 } },
      aggressiveness: null,
    });
    expect(await (await get(server, '/v1/amd/report?aggressiveness=0.1')).json()).toMatchObject({
      calls: 2,
      right: 1,
      aggressiveness: 0.1,
    });
    expect(
      (await post(server, '/v1/amd/calls/amd_00000000000000000000/verdict', { answered_by: 'human' })).status,
    ).toBe(404);
    expect((await post(server, `/v1/amd/calls/${one}/verdict`, { answered_by: 'robot' })).status).toBe(400);
  }, 30_000);
});
