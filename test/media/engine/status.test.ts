import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../src/foundation/platform/errors.ts';
import { EngineError, EngineStatus, engineStatusError, statusName } from '../../../src/media/engine/index.ts';
import { statusTable } from '../../../src/media/engine/status.ts';

describe('the table of status codes', () => {
  it('is that of the engine, to the number', () => {
    const native = Object.fromEntries(statusTable().map((row) => [row.name, row.code]));
    expect(native).toEqual(EngineStatus);
  });

  it('gives every status an error of the product, and the engine\u2019s words only as its cause', () => {
    for (const [name, code] of Object.entries(EngineStatus)) {
      const error = engineStatusError(code, 'secret path /models/x.onnx');
      expect(Object.keys(ERRORS)).toContain(error.code);
      expect(error.message).not.toContain('/models');
      expect(error.cause).toBeInstanceOf(EngineError);
      expect((error.cause as EngineError).message).toContain('/models');
      expect(statusName(code)).toBe(name);
    }
  });

  it('reads an unknown number as a fault of the engine', () => {
    expect(statusName(999)).toBe('internal');
    expect(engineStatusError(999).code).toBe('internal_error');
  });
});
