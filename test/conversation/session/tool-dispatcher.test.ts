// @requirement Agents: Tool calls have time limits, cancellation, fillers and confirmations that a model cannot skip; late results are kept out.
// @requirement Test kit: One command turns a recorded call into a test.
import { Ajv } from 'ajv';
import { describe, expect, it, vi } from 'vitest';
import type { SessionTool, ToolInvocation } from '../../../src/conversation/session/tool-contract.ts';
import { ToolDispatcher, ToolsReplacedTooOften } from '../../../src/conversation/session/tool-dispatcher.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const tool = (parameters: Record<string, unknown>, more: Partial<SessionTool> = {}): SessionTool => ({
  name: 'book',
  description: '',
  parameters,
  timeoutMs: 5_000,
  filler: null,
  ...more,
});

function open(...tools: SessionTool[]) {
  const clock = new ManualClock();
  const sent: ToolInvocation[] = [];
  let calls = 0;
  const dispatcher = new ToolDispatcher({
    clock,
    newCallId: () => `tc_${++calls}`,
    send: (one) => sent.push(one),
    latestTurn: () => 6,
  });
  dispatcher.replace(tools.length > 0 ? tools : [tool({ properties: { day: { type: 'string' } } })]);
  return { clock, sent, dispatcher };
}

const numbers = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'number' }])),
});

const MONDAY = '{"day":"Monday"}';
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('an invocation', () => {
  it('is made once for a turn that asks again, and its first answer stays', async () => {
    const { dispatcher, sent } = open();
    const first = dispatcher.call(1, 'book', MONDAY);
    const again = dispatcher.call(1, 'book', '{ "day": "Monday" }');
    expect(sent).toHaveLength(1);
    expect(dispatcher.settle('tc_1', { result: { ok: 1 } })).toBe(true);
    expect(dispatcher.settle('tc_1', { result: { ok: 2 } })).toBe(true);
    expect(await first).toEqual({ kind: 'result', content: '{"ok":1}' });
    expect(await again).toEqual(await first);
    expect(await dispatcher.call(1, 'book', MONDAY)).toEqual(await first);
    expect(sent).toHaveLength(1);
    const answer = { kind: 'result', content: '{"ok":1}' };
    expect(dispatcher.callLog.list).toMatchObject([
      { turnId: 1, name: 'book', arguments: { day: 'Monday' }, answer },
    ]);
  });

  it('has its duration in the log of a call that holds no more answers', async () => {
    const { dispatcher } = open();
    const long = 'x'.repeat(15_000);
    const days = Array.from({ length: 14 }, (_, day) => day);
    for (const day of days) {
      const booked = dispatcher.call(1, 'book', JSON.stringify({ day: String(day) }));
      dispatcher.settle(`tc_${day + 1}`, { result: long });
      await booked;
    }
    const logged = dispatcher.callLog.list;
    expect(logged.map(({ tookMs }) => tookMs)).toEqual(days.map(() => 0));
    expect(logged.at(-1)?.answer).toBeNull();
    expect(logged[0]?.answer).toMatchObject({ kind: 'result' });
  });

  it('of a flow, which belongs to no turn, is recorded with the latest one', () => {
    const { dispatcher } = open();
    void dispatcher.call(-1, 'book', MONDAY, { confirmed: true });
    expect(dispatcher.callLog.list).toMatchObject([{ turnId: 6, name: 'book' }]);
  });

  it('is not made again by the turn after an interruption, which gets what the first became', async () => {
    const { dispatcher, sent } = open();
    let wanted = true;
    const interrupted = dispatcher.call(1, 'book', MONDAY, { isStillWanted: () => wanted });
    wanted = false;
    const later = dispatcher.call(3, 'book', MONDAY);
    dispatcher.settle('tc_1', { result: 'booked' });
    expect(await interrupted).toEqual(await later);
    expect(sent).toHaveLength(1);
    // The first booking was reported: a caller who asks for another booking gets another.
    void dispatcher.call(5, 'book', MONDAY);
    expect(sent).toHaveLength(2);
  });

  it('ends after its time, and a late answer changes nothing', async () => {
    const { dispatcher, clock, sent } = open();
    const outcome = dispatcher.call(1, 'book', MONDAY);
    clock.advance(5_000);
    expect(await outcome).toMatchObject({ kind: 'error', reason: 'timeout' });
    expect(dispatcher.settle('tc_1', { result: 'late' })).toBe(true);
    expect(await dispatcher.call(1, 'book', MONDAY)).toMatchObject({ reason: 'timeout' });
    expect(sent).toHaveLength(1);
  });

  it('is not answered by an id that nobody made', () => {
    const { dispatcher } = open();
    expect(dispatcher.settle('tc_9', { result: 1 })).toBe(false);
  });

  it.each([
    ['no JSON', 'book', '{', 'invalid_arguments'],
    ['no object', 'book', '[1]', 'invalid_arguments'],
    ['what the schema forbids', 'book', '{"day":5}', 'invalid_arguments'],
    ['too much', 'book', `{"day":"${'x'.repeat(20_000)}"}`, 'invalid_arguments'],
    ['nested without end', 'book', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'invalid_arguments'],
    ['no tool', 'burn', '{}', 'unknown_tool'],
  ])('of %s is refused and not sent', async (_name, name, args, reason) => {
    const { dispatcher, sent } = open();
    expect(await dispatcher.call(1, name, args)).toMatchObject({ kind: 'error', reason });
    expect(sent).toEqual([]);
  });

  it('says that a result was too long, and stays JSON', async () => {
    const { dispatcher } = open();
    const outcome = dispatcher.call(1, 'book', MONDAY);
    dispatcher.settle('tc_1', { result: 'x"'.repeat(50_000) });
    const content = JSON.parse((await outcome).content) as { truncated: boolean; beginning: string };
    expect(content.truncated).toBe(true);
    expect(content.beginning.length).toBeLessThanOrEqual(16_000);
  });

  it('is one of at most 32 in a turn, and none after the end', async () => {
    const { dispatcher, sent } = open();
    const days = Array.from({ length: 40 }, (_, day) => dispatcher.call(1, 'book', `{"day":"${day}"}`));
    expect(sent).toHaveLength(32);
    expect(await days[39]).toMatchObject({ reason: 'too_many' });
    dispatcher.close();
    expect(await days[0]).toMatchObject({ reason: 'closed' });
    expect(await dispatcher.call(2, 'book', MONDAY)).toMatchObject({ reason: 'closed' });
    await settled();
    expect(sent).toHaveLength(32);
  });
});

describe('a schema', () => {
  const refused = (parameters: Record<string, unknown>): string => {
    try {
      open(tool(parameters));
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('with a pattern that backtracks for ever is checked in no time', async () => {
    const { dispatcher, sent } = open(
      tool({ properties: { a: { pattern: '^(a+)+$' }, b: { pattern: '^(b|b)*c$' } } }),
    );
    const began = performance.now();
    for (const args of [{ a: `${'a'.repeat(5_000)}!` }, { b: 'b'.repeat(5_000) }]) {
      expect(await dispatcher.call(1, 'book', JSON.stringify(args))).toMatchObject({
        reason: 'invalid_arguments',
      });
    }
    expect(performance.now() - began).toBeLessThan(2_000);
    void dispatcher.call(1, 'book', JSON.stringify({ a: 'aaa', b: 'bbc' }));
    expect(sent).toHaveLength(1);
  });

  it('does not have the schema of schemas compiled for each tool', async () => {
    const tools = Array.from({ length: 32 }, (_, n) => tool(numbers(12), { name: `t${n}` }));
    open(...tools);
    const added = vi.spyOn(Ajv.prototype, 'addMetaSchema');
    const { dispatcher, sent } = open(...tools);
    expect(added).not.toHaveBeenCalled();
    added.mockRestore();
    expect(await dispatcher.call(1, 't31', '{"p11":"x"}')).toMatchObject({ reason: 'invalid_arguments' });
    void dispatcher.call(1, 't31', '{"p11":1}');
    expect(sent).toHaveLength(1);
  });

  it('tells its patterns apart', async () => {
    const { dispatcher } = open(
      tool({ properties: { a: { pattern: '^\\d+$' }, b: { pattern: '^[a-z]+$' } } }),
    );
    expect(await dispatcher.call(1, 'book', '{"a":"12","b":"12"}')).toMatchObject({
      reason: 'invalid_arguments',
    });
    expect(await dispatcher.call(1, 'book', '{"a":"x","b":"x"}')).toMatchObject({
      reason: 'invalid_arguments',
    });
  });

  it('may name its draft and refer to its own parts', async () => {
    const { dispatcher, sent } = open(
      tool({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: { day: { enum: ['Monday'] } },
        properties: { from: { $ref: '#/$defs/day' }, to: { $ref: '#/$defs/day' } },
      }),
    );
    expect(await dispatcher.call(1, 'book', '{"from":"Friday"}')).toMatchObject({
      reason: 'invalid_arguments',
    });
    void dispatcher.call(1, 'book', '{"from":"Monday"}');
    expect(sent).toHaveLength(1);
  });

  const doubling = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `d${n}`,
      n === 29 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  const deep = (levels: number): Record<string, unknown> =>
    levels === 0 ? {} : { properties: { a: deep(levels - 1) } };

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['look-ahead', { properties: { a: { pattern: '(?=a)b' } } }, /pattern \(\?=a\)b cannot be used/],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, /cannot be used/],
    ['a huge repeat', { properties: { a: { pattern: '((a{900}){900}){900}' } } }, /cannot be used/],
    ['a cycle', { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, /refers to itself/],
    ['references that double', { $defs: doubling, $ref: '#/$defs/d0' }, /parts|deep/],
    ['a reference elsewhere', { $ref: 'https://example.com/schema.json' }, /a part of the same schema/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /is not defined in the schema/],
    ['a name of its own', { $id: 'https://example.com/a' }, /\$id is not supported/],
    ['a check that answers later', { $async: true, required: ['day'] }, /\$async is not supported/],
    ['one deep inside', { properties: { a: { allOf: [{ $async: true }] } } }, /\$async is not supported/],
    ['depth', deep(30), /levels deep/],
    [
      'width',
      { properties: Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`p${n}`, {}])) },
      /parts/,
    ],
    [
      'patterns that repeat too much together',
      {
        properties: Object.fromEntries(
          Array.from({ length: 10 }, (_, n) => [`p${n}`, { pattern: `(?:\\pL?){${900 + n}}` }]),
        ),
      },
      /together with the others, it is too complex/,
    ],
    [
      'too many patterns',
      {
        properties: Object.fromEntries(
          Array.from({ length: 60 }, (_, n) => [`p${n}`, { pattern: `^${n}$` }]),
        ),
      },
      /at most 50 patterns/,
    ],
    ['a list for arguments', { type: 'array' }, /type must be "object"/],
    ['a type that is none', { properties: { a: { type: 'text' } } }, /parameters of book/],
  ])('with %s is refused with the reason', (_name, parameters, message) => {
    expect(refused(parameters)).toMatch(message);
  });

  it('counts what all tools of a session come to together', () => {
    const { dispatcher, clock } = open();
    const wide = { properties: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, {}])) };
    const tools = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...tool(wide), name: `tool${n}` }));
    dispatcher.replace(tools(20));
    clock.advance(10_000);
    expect(() => dispatcher.replace(tools(30))).toThrow(/all tools can have at most 1000 parts/);
    expect(dispatcher.tools).toHaveLength(20);
  });

  it('may be replaced twice in a row, then once in two seconds', () => {
    const { dispatcher, clock } = open();
    clock.advance(60_000);
    dispatcher.replace([tool({})]);
    dispatcher.replace([]);
    expect(() => dispatcher.replace([tool({})])).toThrow(ToolsReplacedTooOften);
    expect(dispatcher.tools).toHaveLength(0);
    clock.advance(2_000);
    dispatcher.replace([tool({})]);
    expect(() => dispatcher.replace([])).toThrow(ToolsReplacedTooOften);
    expect(dispatcher.tools).toHaveLength(1);
  });

  it('that is refused leaves the tools as they were', () => {
    const { dispatcher } = open();
    expect(() => dispatcher.replace([tool({}), tool({})])).toThrow('two tools');
    expect(dispatcher.tools).toHaveLength(1);
  });
});
