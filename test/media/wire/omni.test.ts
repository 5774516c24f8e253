import { describe, expect, it } from 'vitest';
import { omni } from '../../../src/media/wire/index.ts';
import { fc } from '../../property-tests.ts';

const { readClientFrame, readClientMessage, audioFrame, controlFrame, OmniFrameError, MessageError } = omni;

const bytes = (...values: number[]) => Uint8Array.from(values);
const faultOf = (data: Uint8Array, isBinary = true): boolean | null => {
  try {
    readClientFrame(data, isBinary);
    return null;
  } catch (error) {
    if (error instanceof OmniFrameError) return error.fatal;
    throw error;
  }
};

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('frames', () => {
  it('reads back what it writes', () => {
    expect(readClientFrame(audioFrame(bytes(1, 2, 3, 4)), true)).toEqual({
      kind: 'audio',
      pcm: bytes(1, 2, 3, 4),
    });
    expect(readClientFrame(controlFrame({ type: 'end' }), true)).toEqual({
      kind: 'control',
      json: { type: 'end' },
    });
  });

  it.each<[string, Uint8Array, boolean]>([
    ['a text frame', Buffer.from('{"type":"end"}'), false],
    ['an empty frame', bytes(), true],
    ['bare PCM', new Uint8Array(640).fill(7), true],
    ['an unknown tag', bytes(0x09, 0, 0), true],
    ['a transcript from the client', bytes(0x02, 0x7b, 0x7d), true],
    ['half a sample', bytes(0x01, 0), true],
    ['audio without a sample', bytes(0x01), true],
    ['over a second of audio', new Uint8Array(48_003).fill(1), true],
  ])('%s is fatal', (_name, data, isBinary) => {
    expect(faultOf(data, isBinary)).toBe(true);
  });

  it('drops control that is not JSON, or too long, and goes on', () => {
    expect(faultOf(bytes(0x03, 0x7b))).toBe(false);
    expect(faultOf(bytes(0x03, 0xff, 0xfe))).toBe(false);
    expect(faultOf(new Uint8Array(40_000).fill(0x20).fill(3, 0, 1))).toBe(false);
  });

  it('answers any bytes with a frame or a FrameError', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.boolean(),
        (data, binary) => void faultOf(data, binary),
      ),
    );
  });
});

describe('messages', () => {
  const paramOf = (json: unknown): string | null => {
    try {
      readClientMessage(json);
      return null;
    } catch (error) {
      if (error instanceof MessageError) return error.param;
      throw error;
    }
  };

  it('accepts a whole configure, and ignores the fields that are no-ops', () => {
    const message = {
      type: 'configure',
      language: 'de',
      persona: 'You are Maya.',
      tools: [{ name: 'look_up', parameters: { type: 'object' } }],
      meta: { external_id: 'x' },
      barge_sensitivity: 'high',
      seed: 1,
      temperature: 0.5,
    };
    expect(readClientMessage(message)).toEqual(message);
  });

  it.each<[unknown, string]>([
    [null, 'type'],
    [[], 'type'],
    [{ type: 'toString' }, 'type'],
    [{ type: 'configure', language: 'xx' }, 'language'],
    [{ type: 'configure', voice_instruct: 'x'.repeat(201) }, 'voice_instruct'],
    [{ type: 'configure', surprise: 1 }, 'surprise'],
    [{ type: 'configure', tools: [{ name: 'bad name' }] }, 'tools.0.name'],
    [{ type: 'tool_result' }, 'call_id'],
    [{ type: 'dtmf', digits: '12x' }, 'digits'],
    [{ type: 'say', text: '' }, 'text'],
    [{ type: 'tool_result', call_id: 'a', result: nested(65) }, 'result'],
    [{ type: 'configure', meta: { a: nested(64) } }, 'meta'],
  ])('%j names its field', (json, param) => {
    expect(paramOf(json)).toBe(param);
  });

  it.each<[unknown, string]>([
    [{ type: 'configure', language: 'xx' }, 'language must be one of en, fr, es, de, hi'],
    [{ type: 'configure', tools: [{ name: 'a', colour: 1 }] }, 'there is no field tools.0.colour'],
    [{ type: 'configure', tools: [{}] }, 'tools.0.name is required'],
    [{ type: 'dtmf' }, 'digits is required'],
    [{ type: 'configure', temperature: 3 }, 'temperature: must be <= 2'],
  ])('%j says what would have been right', (json, message) => {
    expect(() => readClientMessage(json)).toThrow(new MessageError('', message).message);
  });

  it('takes what nests as deep as may be, and nothing that would exhaust the stack', () => {
    expect(paramOf({ type: 'tool_result', call_id: 'a', result: nested(64) })).toBeNull();
    expect(paramOf({ type: 'tool_result', call_id: 'a', result: nested(15_000) })).toBe('result');
  });

  it('answers any JSON with a message or a MessageError', () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void paramOf(json)));
  });
});
