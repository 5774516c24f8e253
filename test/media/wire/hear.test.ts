import { describe, expect, it } from 'vitest';
import { hear } from '../../../src/media/wire/index.ts';
import { fc, runs } from '../../property-tests.ts';

const { readClientFrame, HearFrameError } = hear;

const control = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function faultOf(data: Uint8Array, isBinary: boolean): InstanceType<typeof HearFrameError> | null {
  try {
    readClientFrame(data, isBinary);
    return null;
  } catch (error) {
    if (error instanceof HearFrameError) return error;
    throw error;
  }
}

describe('frames of the recognition stream', () => {
  it('takes whole samples as they are, without a copy', () => {
    const data = Uint8Array.from([1, 2, 3, 4]);
    const frame = readClientFrame(data, true);
    expect(frame).toEqual({ kind: 'audio', pcm: data });
    expect(frame.kind === 'audio' && frame.pcm.buffer).toBe(data.buffer);
  });

  it.each(['commit', 'keepalive', 'close', 'end'])('reads %s', (type) => {
    expect(readClientFrame(control({ type }), false)).toEqual({ kind: type });
  });

  it.each(['commit', 'keepalive', 'close'])('refuses a field that %s does not have, by its name', (type) => {
    expect(faultOf(control({ type, more: [1] }), false)).toMatchObject({
      code: 'invalid_request',
      param: 'more',
      fatal: false,
    });
  });

  it('ignores end, whatever it holds', () => {
    expect(readClientFrame(control({ type: 'end', more: [1] }), false)).toEqual({ kind: 'end' });
  });

  it.each<[string, Uint8Array, boolean, string, boolean]>([
    ['half a sample', new Uint8Array(3), true, 'invalid_audio', true],
    ['no JSON', new TextEncoder().encode('commit'), false, 'invalid_request', true],
    ['a list', control([1]), false, 'invalid_request', true],
    ['null', control(null), false, 'invalid_request', true],
    ['broken UTF-8', Uint8Array.from([0x7b, 0xff, 0x7d]), false, 'invalid_request', true],
    ['a control frame of 5,000 bytes', control({ type: 'x'.repeat(5000) }), false, 'invalid_request', true],
    ['an unknown type', control({ type: 'dance' }), false, 'invalid_request', false],
    ['a type that every object has', control({ type: 'toString' }), false, 'invalid_request', false],
    ['grounding', control({ type: 'config', grounding: true }), false, 'grounding_unavailable', false],
  ])('%s is refused with its code', (_name, data, isBinary, code, fatal) => {
    expect(faultOf(data, isBinary)).toMatchObject({ code, fatal });
  });

  it('answers any bytes with a frame or a FrameError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (data, isBinary) => {
        const fault = faultOf(data, isBinary);
        if (isBinary) expect(fault === null).toBe(data.length % 2 === 0);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('answers any JSON with a frame or a FrameError', () => {
    const types = fc.constantFrom(
      'commit',
      'keepalive',
      'close',
      'end',
      'config',
      '__proto__',
      'constructor',
    );
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.oneof(types, fc.jsonValue()), grounding: fc.jsonValue() }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(message, (value) => {
        const fault = faultOf(control(value), false);
        const type = (value as { type?: unknown } | null)?.type;
        const known = typeof type === 'string' && ['commit', 'keepalive', 'close', 'end'].includes(type);
        const more = Object.keys((value as object | null) ?? {}).length > 1;
        if (fault === null) expect(known && (type === 'end' || !more)).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });
});
