// @requirement Calls: Lists of calls have filters, cursors and full-text search.

import { describe, expect, it } from 'vitest';
import { TranscriptOffload } from '../../../../src/conversation/calls/index.ts';
import { transcriptSweep } from '../../../../src/conversation/calls/retention.ts';
import { DEFAULT_RETENTION } from '../../../../src/foundation/access/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { ENDED, openRecords } from './records.ts';

interface Page {
  readonly object: string;
  readonly data: { readonly call_id: string }[];
  readonly next_cursor: string | null;
}

describe('the list of calls', () => {
  it('is paged newest first, and neither skips nor repeats one while calls end meanwhile', async () => {
    const { url, write } = await openRecords();
    const first = [];
    for (let call = 0; call < 7; call++) first.push(await write());
    const page = async (query: string): Promise<Page> =>
      (await (await fetch(`${url}/v1/omni/calls?${query}`, { headers: bearer })).json()) as Page;
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const answer: Page = await page(`limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(answer.object).toBe('list');
      seen.push(...answer.data.map((call) => call.call_id));
      cursor = answer.next_cursor;
      await write();
    } while (cursor !== null);
    expect(seen).toEqual([...first].reverse());
    expect((await page('')).data).toHaveLength(10);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'colour=red'])(
    '%s is a 400',
    async (query) => {
      const { url } = await openRecords();
      const response = await fetch(`${url}/v1/omni/calls?${query}`, { headers: bearer });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ status: 400, error: { code: 'invalid_request' } });
    },
  );

  it.each([
    ['agent_id=maya', 'agent_id'],
    ['agent_version=1', 'agent_version'],
    ['agent_id=agt_00000000000000000000&agent_version=0', 'agent_version'],
    ['agent_id=agt_00000000000000000000&agent_version=99999999999', 'agent_version'],
    ['session_label=', 'session_label'],
    ['session_label=%00', 'session_label'],
    [`session_label=${'a'.repeat(129)}`, 'session_label'],
    ['external_id=%0a', 'external_id'],
    ['status=live', 'status'],
    ['outcome=won', 'outcome'],
    ['from=yesterday', 'from'],
    ['from=-1', 'from'],
    ['to=1e300', 'to'],
    ['from=2&to=1', 'to'],
    ['q=', 'q'],
    ['q=%00', 'q'],
    ['q=!%3F...', 'q'],
    [`q=${'a'.repeat(201)}`, 'q'],
    ['q=a&q=b', 'q'],
    [`cursor=${Buffer.from('[1,"\u0000"]').toString('base64url')}`, 'cursor'],
  ])('%s is a 400 that names %s', async (query, param) => {
    const { url } = await openRecords();
    const response = await fetch(`${url}/v1/omni/calls?${query}`, { headers: bearer });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  it('takes every filter, beside the page', async () => {
    const { url, write } = await openRecords();
    const id = await write();
    const list = async (query: string): Promise<Page> =>
      (await (await fetch(`${url}/v1/omni/calls?${query}`, { headers: bearer })).json()) as Page;
    const all = `session_label=label&external_id=ext&status=completed&from=1&to=${Date.now() + 1e6}&q=hi`;
    expect((await list(`limit=1&${all}`)).data).toMatchObject([{ call_id: id }]);
    for (const other of ['&outcome=resolved', '&agent_id=agt_00000000000000000000&agent_version=1'])
      expect((await list(all + other)).data).toEqual([]);
  });

  it('answers another organization’s call, a live one and an unknown one alike', async () => {
    const { url, write, open } = await openRecords();
    const ids = [await write('org_11111111111111111111'), await open(), 'ocl_00000000000000000000', 'x'];
    const answers = [];
    for (const id of ids) {
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/transcript'],
        ['GET', '/summary'],
        ['DELETE', ''],
      ] as const) {
        const response = await fetch(`${url}/v1/omni/calls/${id}${path}`, { method, headers: bearer });
        const { request_id: _id, ...problem } = (await response.json()) as Record<string, unknown>;
        expect(response.status).toBe(404);
        answers.push(JSON.stringify(problem).replaceAll(id, ''));
      }
    }
    expect(new Set(answers).size).toBe(1);
  });

  it('needs omni:read', async () => {
    const { url } = await openRecords(new OneKeyAccess(['omni:session']));
    const response = await fetch(`${url}/v1/omni/calls`, { headers: bearer });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: 'forbidden', param: 'omni:read' } });
  });
});

describe('one call', () => {
  it('leads to its transcript by a signed URL once it is stored apart', async () => {
    const { url, write, storage, blobs, clock, ahead } = await openRecords();
    const [id, other] = [await write(), await write()];
    const retention = async () => DEFAULT_RETENTION;
    const offload = new TranscriptOffload({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      retention,
      inlineBytes: 1,
    });
    await offload.sweep();
    const call = async (of: string) =>
      (await (await fetch(`${url}/v1/omni/calls/${of}`, { headers: bearer })).json()) as Record<
        string,
        string
      >;
    const [mine, next] = [await call(id), await call(other)];
    expect(mine).not.toHaveProperty('transcript');
    const link = new URL(String(mine.transcript_url), url);
    const open = async (to: URL) => {
      const answer = await fetch(to);
      return [answer.status, await answer.json()] as const;
    };
    const whole = [200, { entries: ENDED.transcript }];
    expect(await open(link)).toEqual(whole);
    const byKey = await fetch(`${url}/v1/omni/calls/${id}/transcript`, { headers: bearer });
    expect([byKey.status, await byKey.json()]).toEqual(whole);
    const elsewhere = new URL(`${new URL(String(next.transcript_url), url).pathname}${link.search}`, url);
    const later = new URL(link);
    later.searchParams.set('expires', String(Number(link.searchParams.get('expires')) + 1));
    const forged = new URL(link);
    forged.searchParams.set('signature', 'A'.repeat(43));
    for (const wrong of [elsewhere, later, forged])
      expect(await open(wrong)).toMatchObject([404, { error: { code: 'not_found' } }]);
    ahead.ms = 14 * 60_000;
    expect(await open(link)).toEqual(whole);
    ahead.ms = 15 * 60_000 + 2_000;
    expect(await open(link)).toMatchObject([404, { error: { code: 'not_found' } }]);
    const again = new URL(String((await call(id)).transcript_url), url);
    await fetch(`${url}/v1/omni/calls/${id}`, { method: 'DELETE', headers: bearer });
    expect(await open(again)).toMatchObject([404, { error: { code: 'not_found' } }]);
  });

  it('says when its transcript is no longer kept, and shows the rest', async () => {
    const { url, write, storage, blobs } = await openRecords();
    const id = await write();
    const get = (path = '') => fetch(`${url}/v1/omni/calls/${id}${path}`, { headers: bearer });
    expect(await (await get('/transcript')).json()).toMatchObject({ entries: [{ text: 'Hi' }] });
    const clock = { ...systemClock, now: () => Date.now() + 366 * 24 * 3600 * 1000 };
    await transcriptSweep({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: async () => DEFAULT_RETENTION,
    }).sweep();
    const call = (await (await get()).json()) as Record<string, unknown>;
    expect(call).toMatchObject({
      call_id: id,
      duration_s: 61.25,
      transcript_result: { status: 'removed', reason: 'transcript_retention_over' },
    });
    expect(call).not.toHaveProperty('transcript');
    const transcript = await get('/transcript');
    expect(transcript.status).toBe(404);
    expect(await transcript.json()).toMatchObject({
      status: 404,
      detail: 'The transcript of this call was deleted after its retention period.',
    });
  });

  it('gives its summary where there is one, and says why there is none', async () => {
    const { url, write, storage } = await openRecords();
    const id = await write();
    const get = (path = '') => fetch(`${url}/v1/omni/calls/${id}${path}`, { headers: bearer });
    const none = await get('/summary');
    expect([none.status, await none.json()]).toMatchObject([
      404,
      { detail: 'there is no summary of this call: summary_in_progress' },
    ]);
    const summary = {
      by: 'extractive',
      text: 'Hi',
      statements: [{ text: 'Hi', quote: 'Hi', speaker: 'customer', start_ms: 0, end_ms: 400 }],
      topics: [],
      action_items: [],
      promises: [],
      unanswered_questions: [],
      sentiment: { overall: null, over_time: [] },
      outcome: 'unknown',
      dropped: 0,
    };
    const made = { summary_status: 'success', outcome: 'unknown', summary: JSON.stringify(summary) } as const;
    await acrossTenants(storage.db).updateTable('omni_calls').set(made).where('id', '=', id).execute();
    expect(await (await get('/summary')).json()).toEqual(summary);
    expect(await (await get()).json()).toMatchObject({ has_summary: true, outcome: 'unknown', summary });
  });

  // @requirement Calls: The record of a call has the latency of each turn, with p50 and p95.
  it('shows every field of the contract', async () => {
    const { url, write } = await openRecords();
    const id = await write();
    const response = await fetch(`${url}/v1/omni/calls/${id}`, { headers: bearer });
    const call = (await response.json()) as Record<string, unknown>;
    expect(call).toMatchObject({
      object: 'omni.call',
      call_id: id,
      session_label: 'label',
      external_id: 'ext',
      status: 'completed',
      duration_s: 61.25,
      language: 'en',
      voice_tier: 'natural',
      has_recording: false,
      has_summary: false,
      transcript: { entries: [{ role: 'user', text: 'Hi' }] },
      recording_result: { status: 'not_requested', reason: 'recording_not_requested' },
      outcome: null,
      summary_result: { status: 'pending' },
      extraction_result: { status: 'pending' },
      latency_ms: { p50: 700, p95: 900 },
    });
    expect(Number.isInteger(call.started_at) && Number.isInteger(call.created_at)).toBe(true);
    expect(call).not.toHaveProperty('error');
    expect(call).not.toHaveProperty('transcript_url');
  });
});
