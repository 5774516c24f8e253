// @requirement AMD: `/v1/amd/stream` speaks the carriers' media-stream protocol and ignores unknown events.
// @requirement AMD: `aggressiveness` moves the time of the verdict and not the verdict.
import { describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { DEFAULTS, replay } from '../../../../src/speech/amd/index.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { until } from '../../../poll.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { absent, CarrierStream, openAmd } from './server.ts';
import { joined, recording, silence, tone } from './sounds.ts';

const THERE = tenantScopeOf(new OneKeyAccess().principal());
const key = { api_key: OneKeyAccess.KEY };
const HELLO = 'asterisk_en/vm-goodbye.wav';
const NOBODY = 'asterisk_en/vm-nobodyavail.wav';

async function stream(url: string, options?: ConstructorParameters<typeof CarrierStream>[1]) {
  const carrier = new CarrierStream(url, options);
  await carrier.opened;
  return carrier;
}

describe.skipIf(absent)('the detection stream', () => {
  // @requirement AMD: A detection is billed once, and is free within Omni and telephony.
  it('tells a voicemail and where its message ends, bills it once and keeps the evidence', async () => {
    const server = await openAmd();
    const carrier = await stream(server.url);
    carrier.begin({ ...key, mode: 'message_end', to: '+15005550004' });
    await carrier.play(joined(silence(0.3), recording(NOBODY), silence(1.5), tone(0.4, 1000), silence(1)));
    carrier.send({ event: 'stop', streamSid: 'MZ1', stop: { accountSid: 'AC1', callSid: 'CA1' } });
    const { code } = await carrier.closed;
    expect(code).toBe(1000);
    const [verdict] = carrier.of('amd');
    expect(verdict).toMatchObject({
      answered_by: 'voicemail',
      answered_by_twilio: 'machine_start',
      streamSid: 'MZ1',
    });
    expect(verdict.reason).toBe('voicemail_words');
    expect(verdict.transcript).toMatch(/nobody is available/i);
    expect(carrier.of('amd_message_end')).toEqual([
      expect.objectContaining({
        kind: 'beep',
        answered_by_twilio: 'machine_end_beep',
        call_id: verdict.call_id,
      }),
    ]);
    expect(await server.billed()).toEqual([{ meter: 'amd', count: 1, resource: verdict.call_id }]);
    const record = await fetch(`${server.url}/v1/amd/calls/${verdict.call_id}`, { headers: bearer });
    expect(await record.json()).toMatchObject({
      id: verdict.call_id,
      object: 'amd.call',
      call_sid: 'CA1',
      to: '+15005550004',
      answered_by: 'voicemail',
      message_end: { kind: 'beep' },
      evidence: expect.arrayContaining([expect.objectContaining({ kind: 'tone' })]),
    });
    expect(server.access.released).toBe(server.access.admitted);
  }, 60_000);

  it('tells the webhook of the end of a message too, and decides the same recording sooner the more aggressive it is', async () => {
    const server = await openAmd();
    await fetch(`${server.url}/v1/amd/config`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ webhook_url: 'https://example.com/hook' }),
    });
    const carrier = await stream(server.url);
    carrier.begin({ ...key, mode: 'message_end', aggressiveness: 0 });
    await carrier.play(joined(silence(0.3), recording(NOBODY), silence(1.5), tone(0.4, 1000), silence(1)));
    const end = await carrier.until('amd_message_end');
    carrier.send({ event: 'stop' });
    await carrier.closed;
    const find = () => server.detection.calls.find(THERE, end.call_id);
    await until(async () => ((await find())?.message_end ?? null) !== null);
    const row = await find();
    expect(JSON.parse(row!.tunables)).toMatchObject({ aggressiveness: 0 });
    const reported = (
      await acrossTenants(server.storage.db).selectFrom('webhook_events').selectAll().execute()
    ).map(({ type, body }) => [type, JSON.parse(body).data]);
    expect(reported).toEqual([
      ['amd.decided', expect.objectContaining({ id: end.call_id, message_end: null })],
      [
        'amd.message_ended',
        expect.objectContaining({
          id: end.call_id,
          answered_by: 'voicemail',
          answered_by_twilio: 'machine_end_beep',
          message_end: { kind: 'beep', at_ms: end.at_ms },
        }),
      ],
    ]);
    const urls = await acrossTenants(server.storage.db)
      .selectFrom('webhook_deliveries')
      .select('url')
      .execute();
    expect(urls.map(({ url }) => url)).toEqual(['https://example.com/hook', 'https://example.com/hook']);

    const times = [0, 0.25, 0.5, 0.75, 1].map((aggressiveness) => {
      const tunables = { ...DEFAULTS, aggressiveness };
      const verdict = replay(
        JSON.parse(row!.evidence),
        Number(row!.heard_ms),
        server.detection.models.answers,
        tunables,
      );
      expect(verdict.answeredBy, `${aggressiveness}`).toBe('voicemail');
      return verdict.atMs;
    });
    expect([...times].sort((one, other) => other - one)).toEqual(times);
    expect(times.at(-1)).toBeLessThan(times[0]!);
  }, 60_000);

  it.each([
    ['a number in start', { aggressiveness: 0.9 }, ''],
    ['a text in start', { aggressiveness: '0.9' }, ''],
    ['the query', {}, '?aggressiveness=0.9&MachineDetectionSilenceTimeout=2000'],
    ['start over the query', { aggressiveness: 0.9 }, '?aggressiveness=0.1'],
  ])('takes aggressiveness by %s', async (_, parameters, query) => {
    const server = await openAmd();
    const carrier = await stream(server.url, { query });
    carrier.begin({ ...key, MachineDetectionSilenceTimeout: 2000, ...parameters });
    carrier.say(silence(3));
    const { call_id: id, at_ms: at } = await carrier.until('amd');
    carrier.send({ event: 'stop' });
    await carrier.closed;
    expect(at).toBeCloseTo(2000, -2);
    const row = await server.detection.calls.find(THERE, id);
    expect(JSON.parse(row!.tunables)).toMatchObject({ aggressiveness: 0.9, silenceTimeoutMs: 2000 });
  });

  it('answers a fax, and silence, without words', async () => {
    const server = await openAmd();
    const fax = await stream(server.url, { protocols: ['svc.v1', `svc-key.${OneKeyAccess.KEY}`] });
    expect(fax.socket.protocol).toBe('svc.v1');
    fax.begin({});
    fax.say(joined(silence(0.5), tone(2.6, 2100), silence(1)));
    expect(await fax.until('amd')).toMatchObject({ answered_by: 'fax', answered_by_twilio: 'fax' });

    const silent = await stream(server.url);
    silent.begin({ ...key, MachineDetectionSilenceTimeout: '2000' });
    silent.say(silence(3));
    expect(await silent.until('amd')).toMatchObject({
      answered_by: 'no_answer',
      answered_by_twilio: 'unknown',
      reason: 'silence',
      at_ms: expect.closeTo(2000, -2),
    });
    silent.socket.close();
    await silent.closed;
    expect((await server.billed()).map(({ count }) => count)).toEqual([1]);
  }, 60_000);

  // @requirement AMD: Gaps, duplicates, reordered chunks and both tracks of a stream change no verdict.
  it('takes a short word and silence for a person, through duplicates, gaps, late messages and the other track', async () => {
    const server = await openAmd();
    const carrier = await stream(server.url);
    carrier.begin();
    const call = joined(silence(0.6), recording(HELLO).subarray(0, 6400), silence(2.5));
    const pieces = Array.from({ length: Math.floor(call.length / 160) }, (_, at) =>
      call.subarray(at * 160, at * 160 + 160),
    );
    for (const [at, piece] of pieces.entries()) {
      if (at % 40 === 7) continue;
      carrier.send(carrier.media(at, piece));
      if (at % 25 === 3) carrier.send(carrier.media(at, piece));
      if (at % 31 === 9) carrier.send(carrier.media(at - 5, pieces[at - 5]!));
      carrier.send(carrier.media(at, tone(0.02, 440), 'outbound'));
      if (at === 20) carrier.send({ event: 'something_new', something: [1] });
    }
    const verdict = await carrier.until('amd');
    expect(verdict.answered_by_twilio).toBe('human');
    expect(verdict.at_ms).toBeLessThan(pieces.length * 20);
  }, 60_000);

  it('keeps another key’s calls apart from nobody’s', async () => {
    const server = await openAmd();
    for (const id of ['amd_00000000000000000000', 'amd_%00', 'ocl_00000000000000000000', 'x'.repeat(256)]) {
      const answer = await fetch(`${server.url}/v1/amd/calls/${id}`, { headers: bearer });
      expect(answer.status, id).toBe(id.includes('%00') ? answer.status : 404);
      expect(answer.status).toBeLessThan(500);
    }
  });

  it.each([
    ['no key', {}, 4401, 'missing_api_key'],
    ['a wrong key', { api_key: 'svc_test_wrong' }, 4401, 'invalid_api_key'],
    ['aggressiveness out of range', { ...key, aggressiveness: '1.5' }, 1008, 'aggressiveness'],
    ['aggressiveness that is none', { ...key, aggressiveness: '' }, 1008, 'aggressiveness'],
    ['an unknown mode', { ...key, mode: 'guess' }, 1008, 'mode'],
    [
      'a threshold below its range',
      { ...key, MachineDetectionSpeechThreshold: '999' },
      1008,
      'MachineDetectionSpeechThreshold',
    ],
    [
      'a threshold that is no number',
      { ...key, MachineDetectionSpeechEndThreshold: '1e3' },
      1008,
      'MachineDetectionSpeechEndThreshold',
    ],
    [
      'a time-out beyond its range',
      { ...key, MachineDetectionTimeout: '60' },
      1008,
      'MachineDetectionTimeout',
    ],
    ['a number that is none', { ...key, to: '5550004' }, 1008, 'to'],
  ])('refuses %s and says which', async (_, parameters, code, what) => {
    const server = await openAmd();
    const carrier = await stream(server.url);
    carrier.begin(parameters);
    expect((await carrier.closed).code).toBe(code);
    const [{ error }] = carrier.of('error');
    expect(code === 4401 ? error.code : error.param).toBe(what);
    expect(server.access.released).toBe(server.access.admitted);
  });

  // @requirement AMD: A stream closes on another codec, binary frames and frames of 40 kB.
  it('refuses another codec, a binary frame, a text that is no message and 40 kB', async () => {
    const server = await openAmd();
    const codec = await stream(server.url);
    codec.begin(key, { mediaFormat: { encoding: 'audio/x-alaw', sampleRate: 8000, channels: 1 } });
    expect((await codec.closed).code).toBe(1008);
    expect(codec.of('error')[0].error.param).toBe('mediaFormat');

    const binary = await stream(server.url);
    binary.socket.send(Buffer.alloc(160));
    expect((await binary.closed).code).toBe(1008);

    const garbage = await stream(server.url);
    garbage.socket.send('{"event":');
    expect((await garbage.closed).code).toBe(1008);

    const large = await stream(server.url);
    large.begin();
    large.send(large.media(0, new Uint8Array(40_000)));
    expect((await large.closed).code).toBe(1009);
  });

  // @requirement AMD: Thresholds can be set by project and by stream, and one out of range is named.
  it.each([
    ['aggressiveness', '1.01'],
    ['aggressiveness', ''],
    ['aggressiveness', 1.01],
    ['aggressiveness', true],
    ['aggressiveness', null],
    ['aggressiveness', [0.5]],
    ['MachineDetectionTimeout', 60],
    ['mode', 'guess'],
    ['language', 'xx'],
    ['to', '5550001'],
    ['external_id', ''],
    ['MachineDetection', 'Perhaps'],
    ['MachineDetectionTimeout', '0'],
    ['MachineDetectionSpeechThreshold', '-1'],
    ['MachineDetectionSpeechEndThreshold', '1e9'],
    ['MachineDetectionSilenceTimeout', 'long'],
  ])('names the parameter that it cannot take: %s of %j', async (param, value) => {
    const server = await openAmd();
    const one = await stream(server.url);
    one.begin({ ...key, [param]: value });
    expect((await one.closed).code).toBe(1008);
    expect(one.of('error')[0].error).toMatchObject({ code: 'invalid_request', param });
  });

  // @requirement AMD: A stream authenticates by parameter or subprotocol, or closes with 4401 after 10 s.
  it('closes a stream that never starts, with 4401 where no key came', async () => {
    const clock = new ManualClock();
    const server = await openAmd(clock);
    const keyless = await stream(server.url);
    const keyed = await stream(server.url, { headers: bearer });
    await clock.advance(10_000);
    expect((await keyless.closed).code).toBe(4401);
    expect((await keyed.closed).code).toBe(1008);
  });

  it('refuses a wrong key at the upgrade, before any socket', async () => {
    const server = await openAmd();
    const carrier = new CarrierStream(server.url, { headers: { authorization: 'Bearer svc_test_wrong' } });
    await expect(carrier.opened).rejects.toMatchObject({ status: 401 });
  });

  // @requirement AMD: A stream that starts twice gets one verdict.
  it('gives one verdict to a stream that starts twice', async () => {
    const server = await openAmd();
    const carrier = await stream(server.url);
    carrier.begin();
    carrier.begin();
    expect((await carrier.until('error')).error.param).toBe('start');
    carrier.say(joined(silence(0.5), tone(2.6, 2100), silence(0.5)));
    await carrier.until('amd');
    carrier.send({ event: 'stop' });
    expect((await carrier.closed).code).toBe(1000);
    expect(carrier.of('amd')).toHaveLength(1);
  });
});
