import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DescribedPeer } from '../../src/telephony/webrtc/index.ts';
import { hidden, Phone } from './phones.ts';
import { AGENT } from './surfaces.ts';
import { type Visit, visiting } from './visit.ts';
import { answer, type SoakTarget, type SoakVisit } from './visits.ts';

const SECRETS = {
  access_token: 'token-of-the-soak',
  app_secret: 'secret-of-the-soak',
  verify_token: 'verify-of-the-soak',
};
const ANSWERED_MS = 30_000;

interface Action {
  readonly call_id?: string;
  readonly action?: string;
  readonly session?: { readonly sdp: string };
}

export class MessagingProvider {
  readonly #waiting = new Map<string, (action: Action) => void>();
  readonly #server = createServer((request, response) => {
    void this.#answer(request).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });

  static async open(): Promise<MessagingProvider> {
    const provider = new MessagingProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v23.0`;
  }

  /** Resolves with the first of these actions that the server requests, or null after half a minute. */
  wait(callId: string, ...names: string[]): Promise<Action | null> {
    const asked = new Promise<Action>((resolve) =>
      this.#waiting.set(callId, (action) => {
        if (names.includes(action.action ?? '')) resolve(action);
      }),
    );
    const late = new Promise<null>((resolve) => setTimeout(resolve, ANSWERED_MS, null).unref());
    return Promise.race([asked, late]).finally(() => this.#waiting.delete(callId));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<object> {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method === 'GET') return { calling: { status: 'ENABLED' } };
    const action = JSON.parse(text) as Action;
    this.#waiting.get(action.call_id ?? '')?.(action);
    return { success: true };
  }
}

let number: Promise<void> | null = null;
const PHONE_NUMBER_ID = '1001';
const PERSON = '15550001111';

async function takeNumber(visit: Visit): Promise<void> {
  const { id: agent_id } = await visit.ask('POST', '/v1/agents', AGENT);
  const wanted = {
    waba_id: '7',
    app_id: '8',
    phone_number_id: PHONE_NUMBER_ID,
    phone_number: '+15551001000',
  };
  const { id } = await visit.ask('POST', '/v1/msgapp/numbers', { ...wanted, ...SECRETS });
  await visit.ask('POST', `/v1/msgapp/numbers/${id}/assign`, { agent_id });
  await visit.ask('PUT', `/v1/msgapp/numbers/${id}/calling`, { status: 'ENABLED' });
}

function deliver({ url }: SoakTarget, value: object, secret = SECRETS.app_secret): Promise<Response> {
  const metadata = { phone_number_id: PHONE_NUMBER_ID, display_phone_number: '1' };
  const change = { field: 'calls', value: { messaging_product: 'whatsapp', metadata, ...value } };
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ changes: [change] }] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = {
    'content-type': 'application/json',
    'x-hub-signature-256': signature,
    connection: 'close',
  };
  return fetch(`${url}/public/msgapp/webhook`, { method: 'POST', headers, body });
}

let calls = 0;
const ringing = (sdp: string) => ({
  id: `wacid.soak${calls++}`,
  from: PERSON,
  to: '1',
  event: 'connect',
  direction: 'USER_INITIATED',
  session: { sdp_type: 'offer', sdp },
});

const call = (cut: boolean): SoakVisit =>
  visiting(async (visit, target) => {
    number ??= takeNumber(visit);
    await number;
    const phone = new Phone(target);
    const offered = await target.peers.offer(phone);
    const sdp = hidden(offered.sdp).replace('\r\na=', '\r\na=ice-lite\r\na=');
    const connect = ringing(sdp);
    const taken = target.provider.wait(connect.id, 'pre_accept', 'reject');
    visit.notify(await answer(await deliver(target, { calls: [connect] })));
    try {
      if (!cut) await talk(visit, phone, offered, await taken);
      const end = { ...connect, event: 'terminate', status: 'COMPLETED', session: undefined };
      visit.notify(await answer(await deliver(target, { calls: [end] })));
    } finally {
      offered.peer.close();
    }
  });

async function talk(visit: Visit, phone: Phone, offered: DescribedPeer, taken: Action | null): Promise<void> {
  if (taken?.action !== 'pre_accept') visit.fail(`the call was not taken: ${taken?.action}`);
  offered.peer.answered(taken!.session!.sdp);
  if (!(await phone.talk(offered, 6))) visit.fail('no voice was heard');
}

export const APPS: Record<string, SoakVisit> = {
  'messaging call': call(false),
  'messaging call, cut': call(true),
  'messaging call, no offer': async (target) =>
    answer(await deliver(target, { calls: [ringing('nonsense')] })),
  'messaging call, not signed': async (target) =>
    answer(await deliver(target, { calls: [ringing('v=0')] }, 'another secret')),
};
