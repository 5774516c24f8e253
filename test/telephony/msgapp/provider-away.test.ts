// @requirement Messaging apps: A provider that is down, slow or malformed does not lose a call's record.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { MsgappProvider, ProviderFault } from '../../../src/telephony/msgapp/index.ts';
import { retryUntilAccepted } from '../../../src/telephony/msgapp/retry-until-accepted.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const ACCOUNT = { phoneNumberId: '1001', accessToken: 'token' };
const END = { callId: 'wacid.1', action: 'terminate' } as const;

async function answering(listener: RequestListener, timeoutMs?: number): Promise<MsgappProvider> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new MsgappProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v23.0`, timeoutMs);
}

const fault = async (work: Promise<unknown>): Promise<ProviderFault> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderFault);
  return error as ProviderFault;
};

it.each([
  ['an error of its own', 500, '{"error": {"code": 131000, "message": "Something went wrong"}}', 131_000],
  ['a page', 502, '<html>Bad gateway</html>', null],
  ['nothing', 503, '', null],
  ['null', 500, 'null', null],
  ['an error that is a word', 500, '{"error": "no"}', null],
])('is away where it answers %s, and another try may do', async (_what, status, body, code) => {
  const provider = await answering((_request, response) => response.writeHead(status).end(body));
  expect(await fault(provider.act(ACCOUNT, END))).toMatchObject({ status, code, mayPass: true });
});

it.each([
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['calls that are none', '{"calls": "wacid.1"}'],
  ['a call without a name', '{"calls": [{"id": 7}]}'],
])('rings nobody where it answers a call with %s', async (_what, body) => {
  const provider = await answering((_request, response) => response.end(body));
  const { status, mayPass } = await fault(provider.connect(ACCOUNT, '15550001111', 'v=0'));
  expect([status, mayPass]).toEqual([200, false]);
});

it('is given up where it never answers, stops in the middle, says too much, or sends elsewhere', async () => {
  const listeners: readonly [RequestListener, string][] = [
    [() => undefined, 'could not be reached'],
    [(_request, response) => void response.write('{"success"'), 'could not be reached'],
    [
      (_request, response) => {
        const more = () => response.write(Buffer.alloc(65_536, 0x20), more);
        more();
      },
      'response of the provider is too large',
    ],
    [
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'could not be reached',
    ],
    [(request) => request.socket.destroy(), 'could not be reached'],
  ];
  for (const [listener, why] of listeners) {
    const provider = await answering(listener, 1_000);
    expect((await fault(provider.act(ACCOUNT, END))).message).toContain(why);
  }
});

const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

it('is told again after each wait while it is away, and no more once it has heard', async () => {
  const clock = new ManualClock();
  const tried: number[] = [];
  const began = clock.now();
  const reported = retryUntilAccepted(clock, async () => {
    tried.push(clock.now() - began);
    if (tried.length < 4) throw new ProviderFault(503, null, 'away');
  }, [1_000, 5_000, 15_000, 60_000]);
  for (const wait of [1_000, 5_000, 15_000, 60_000]) {
    await settled();
    clock.advance(wait);
  }
  await reported;
  expect(tried).toEqual([0, 1_000, 6_000, 21_000]);
});

it('is not asked again for what it says no to, and not for ever', async () => {
  const clock = new ManualClock();
  let tries = 0;
  const refuses = (status: number) => async () => {
    tries += 1;
    throw new ProviderFault(status, 100, 'no');
  };
  expect(await fault(retryUntilAccepted(clock, refuses(400), [1_000, 1_000]))).toMatchObject({ status: 400 });
  expect([tries, clock.timers]).toEqual([1, 0]);
  const given = fault(retryUntilAccepted(clock, refuses(500), [1_000, 1_000]));
  for (let turn = 0; turn < 2; turn += 1) {
    await settled();
    clock.advance(1_000);
  }
  expect(await given).toMatchObject({ status: 500 });
  expect([tries, clock.timers]).toEqual([4, 0]);
});
