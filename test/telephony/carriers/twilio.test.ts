// @requirement Carriers: One test suite runs over every carrier.
// @requirement Carriers: The `twilio` carrier uses REST, signed callbacks and media streams.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import {
  PendingStreams,
  STATUS_PATH,
  signatureOf,
  TwilioCarrier,
  type TwilioOptions,
  VOICE_PATH,
} from '../../../src/telephony/carriers/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { type CarrierWorld, carrierContract, RecordingListener } from './contract.ts';

interface TwilioWorld extends CarrierWorld {
  readonly carrier: TwilioCarrier;
  readonly double: ChildProcess;
  readonly url: string;
}

async function open(more: Partial<TwilioOptions> = {}): Promise<TwilioWorld> {
  const double = fork(join(import.meta.dirname, 'twilio-double.mjs'));
  const [{ port, sid, token }] = (await once(double, 'message')) as [
    { port: number; sid: string; token: string },
  ];
  let keys: string[] = [];
  double.on('message', (message: { keys?: string[] }) => {
    keys = message.keys ?? keys;
  });
  const dock = new PendingStreams(systemClock);
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', async () => {
      const form = Object.fromEntries(new URLSearchParams(text));
      const path = request.url ?? '';
      if (!carrier.isSigned(path, form, String(request.headers['x-twilio-signature'])))
        return response.writeHead(401).end();
      if (path === VOICE_PATH) response.end(await carrier.voice(form));
      else {
        carrier.status(form);
        response.writeHead(204).end();
      }
    });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const stream = dock.open({
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
    });
    socket.on('message', (data, isBinary) => stream.onMessage(data as Buffer, isBinary));
    socket.on('close', () => stream.onClosed());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const carrier: TwilioCarrier = new TwilioCarrier({
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
    dock,
    account: { accountSid: sid, authToken: token, apiUrl: `http://127.0.0.1:${port}` },
    baseUrl: () => baseUrl,
    nodeUrl: () => baseUrl,
    onError: () => undefined,
    ...more,
  });
  await carrier.start();
  return {
    carrier,
    double,
    url: baseUrl,
    from: '+14155550100',
    dial: {
      answers: '+15005550001',
      busy: '+15005550002',
      silent: '+15005550003',
      presses: '+15005550020',
      nobody: '+15005559999',
    },
    transferTo: '+15005550004',
    transfersToAnybody: true,
    keysHeard: () => keys,
    callIn: (to) => {
      double.send({ callIn: { url: `${baseUrl}${VOICE_PATH}`, to } });
    },
    close: async () => {
      await carrier.stop();
      double.kill();
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

carrierContract('twilio', open);

describe('the carrier with REST and callbacks', () => {
  const place = (world: TwilioWorld, reported: RecordingListener, to: string) =>
    world.carrier.place({ id: 'tcl_1', from: world.from, to, ringMs: 5_000 }, reported);

  // @requirement Carriers: Callbacks that are lost, doubled or late, and lost answers, change no call's end.
  it('tells each state once where callbacks come twice and late', async () => {
    const world = await open();
    world.double.send({ callbacks: 'twice' });
    const reported = new RecordingListener();
    const call = await place(world, reported, '+15005550001');
    await reported.until('answered');
    await call.hangUp();
    await reported.until('ended');
    const kinds = reported.states.map(({ kind }) => kind);
    expect(kinds).toEqual([...new Set(kinds)]);
    await world.close();
  });

  it('has its stream and its callbacks at the node that has the call, whichever the balancer would choose', async () => {
    const elsewhere = await open();
    const world = await open({ baseUrl: () => elsewhere.url });
    const reported = new RecordingListener();
    const call = await place(world, reported, '+15005550001');
    await reported.until('answered');
    await call.hangUp();
    await reported.until('ended');
    await world.close();
    await elsewhere.close();
  });

  it('carries a transferred call on until both are done, no longer than it is told, and says so then', async () => {
    const world = await open();
    const dialed = new Promise((resolve) =>
      world.double.on('message', (message: { dialed?: object }) => message.dialed && resolve(message.dialed)),
    );
    const reported = new RecordingListener();
    const call = await place(world, reported, '+15005550001');
    await reported.until('answered');
    await call.transfer('+15005550004', 90_500);
    expect(await dialed).toEqual({ to: '+15005550004', limit: 90 });
    await reported.until('transferred');
    expect(call.state.kind).toBe('transferred');
    world.double.send({ hangUp: true });
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    expect(reported.states.map(({ kind }) => kind).slice(-3)).toEqual(['answered', 'transferred', 'ended']);
    await world.close();
  });

  it('hangs up a transferred call where it is asked to', async () => {
    const world = await open();
    const reported = new RecordingListener();
    const call = await place(world, reported, '+15005550001');
    await reported.until('answered');
    await call.transfer('+15005550004', 60_000);
    await call.hangUp();
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'us' });
    await world.close();
  });

  it('asks for itself where callbacks are lost', async () => {
    const clock = new ManualClock();
    const world = await open({ clock });
    world.double.send({ callbacks: 'never' });
    const reported = new RecordingListener();
    const call = await place(world, reported, '+15005550002');
    expect(call.state.kind).toBe('dialing');
    const ended = reported.until('ended');
    let over = false;
    void ended.then(() => {
      over = true;
    });
    while (!over) {
      clock.advance(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await ended).end.reason).toBe('busy');
    await world.close();
  });

  it('does not know whether it has dialed where the answer is lost, and knows where nobody listens', async () => {
    const world = await open();
    const deaf = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const { port } = deaf.address() as { port: number };
    const at = async (apiUrl: string) => {
      const other = await open({ account: { accountSid: 'AC1', authToken: 'x', apiUrl } });
      const failed = await place(other, new RecordingListener(), '+15005550001').catch(
        (error: { kind: string }) => error.kind,
      );
      await other.close();
      return failed;
    };
    expect(await at(`http://127.0.0.1:${port}`)).toBe('unclear');
    await new Promise((resolve) => deaf.close(resolve));
    expect(await at(`http://127.0.0.1:${port}`)).toBe('unreachable');
    await world.close();
  });

  it('signs as the published example does, and refuses what is changed', () => {
    const form = {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675310',
      Digits: '1234',
      From: '+14158675310',
      To: '+18005551212',
    };
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    expect(signatureOf('12345', url, form)).toBe('GvWf1cFY/Q7PnoempGyD5oXAezc=');
    expect(signatureOf('12345', url, { ...form, Digits: '1235' })).not.toBe('GvWf1cFY/Q7PnoempGyD5oXAezc=');
    expect(STATUS_PATH).toMatch(/^\/public\//);
  });
});
