import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Peer, WebRtcService } from '../../../src/telephony/webrtc/index.ts';
import { type Tenant, World } from '../../contract/world.ts';
import { compileProgram } from '../../running-server.ts';
import { makeNode } from '../webrtc/nodes.ts';

interface Reported {
  readonly what: string;
  readonly body: { action?: string; call_id?: string; session?: { sdp: string }; interactive?: object };
  readonly status: number;
}

export const SECRETS = {
  access_token: 'token-of-the-app',
  app_secret: 'secret-of-the-app',
  verify_token: 'verify-me',
};
export const PERSON = '15550001111';
export const reported: Reported[] = [];
export let provider: ChildProcess;
export let world: World;
export let phone: WebRtcService;

beforeAll(async () => {
  await compileProgram();
  provider = fork(join(import.meta.dirname, 'provider.mjs'), [SECRETS.access_token], { execArgv: [] });
  const port = await new Promise<number>((resolve) =>
    provider.once('message', (message) => resolve((message as { port: number }).port)),
  );
  provider.on('message', (message) => reported.push(message as Reported));
  world = await World.open({
    settings: {
      TRUNKLINE_MSGAPP_URL: `http://127.0.0.1:${port}/v23.0`,
      TRUNKLINE_WEBRTC_ADDRESS: '127.0.0.1',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    },
  });
  phone = makeNode({ ports: { first: 34_000, last: 34_999 }, connectWithinMs: 60_000 });
}, 240_000);
afterAll(async () => {
  await phone?.stop();
  await world?.stop();
  provider?.kill();
});

export const ask = (
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
  tenant: Tenant = world.ours,
) =>
  world.send(path, {
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

let numbers = 0;
export async function aNumber(tenant: Tenant = world.ours): Promise<{ id: string; phoneNumberId: string }> {
  const phoneNumberId = String(1_000 + ++numbers);
  const made = await ask(
    '/v1/msgapp/numbers',
    {
      waba_id: '7',
      app_id: '8',
      phone_number_id: phoneNumberId,
      phone_number: `+1555${phoneNumberId}000`,
      ...SECRETS,
    },
    'POST',
    tenant,
  );
  expect(made.status).toBe(201);
  for (const secret of Object.values(SECRETS)) expect(made.text).not.toContain(secret);
  const id = String(made.json?.id);
  const agent = await ask('/v1/agents', {
    name: 'shop',
    greeting: 'Hello, this is the shop. We are open all day.',
    voice_id: 'joe_en_us',
  });
  expect((await ask(`/v1/msgapp/numbers/${id}/assign`, { agent_id: agent.json?.id })).json).toMatchObject({
    agent_id: agent.json?.id,
  });
  const enabled = await ask(`/v1/msgapp/numbers/${id}/calling`, { status: 'ENABLED' }, 'PUT');
  expect(enabled.json).toMatchObject({
    calling_enabled: true,
    calling_settings: { call_icon_visibility: 'DEFAULT' },
  });
  return { id, phoneNumberId };
}

export function deliver(
  phoneNumberId: string,
  value: object,
  { field = 'calls', secret = SECRETS.app_secret } = {},
) {
  const metadata = { phone_number_id: phoneNumberId, display_phone_number: '1' };
  const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } };
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ changes: [change] }] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return world.send('/public/msgapp/webhook', { method: 'POST', headers, body });
}

export async function callsOf(id: string): Promise<Record<string, unknown>[]> {
  const list = (await ask('/v1/msgapp/calls?limit=100')).json?.data as Record<string, unknown>[] | undefined;
  return (list ?? []).filter(({ number_id }) => number_id === id);
}
export const actions = (callId: string) =>
  reported.filter(({ body }) => body.call_id === callId).map(({ body, status }) => [body.action, status]);

export function aPhone() {
  const heard = { loud: 0, ended: false, peer: null as Peer | null };
  const listener = {
    connected: () => undefined,
    audio: (pcm: Uint8Array) => {
      const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
      for (let at = 0; at < pcm.length; at += 2)
        if (Math.abs(view.getInt16(at, true)) > 1_000) heard.loud += 1;
    },
    ended: () => {
      heard.ended = true;
    },
  };
  return { heard, listener };
}
