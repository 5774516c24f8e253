import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { scrub } from '../../../src/foundation/platform/scrub.ts';

const logged = (write: (log: ReturnType<typeof createLog>) => void): string => {
  let text = '';
  write(createLog({ level: 'trace', destination: { write: (line: string) => (text += line) } as never }));
  return text;
};

describe('log', () => {
  it('hides credentials by name', () => {
    const text = logged((log) =>
      log.info(
        { req: { headers: { authorization: 'Bearer abc', 'x-api-key': 'def', cookie: 'ghi' } } },
        'hello',
      ),
    );
    expect(text).toContain('hello');
    expect(text).not.toMatch(/abc|def|ghi/);
  });

  it('hides keys wherever they stand', () => {
    const text = logged((log) => {
      log.warn('bad key svc_live_AbC123xyz in the text');
      log.error({ url: '/v1/omni?api_key=plainsecret&rate=8000', note: 'svc.v1, svc-key.svc_test_Q1w2' });
      log.error(new Error('upstream said Bearer tok-123 is wrong'));
    });
    expect(text).not.toMatch(/AbC123xyz|plainsecret|Q1w2|tok-123/);
    expect(text).toContain('rate=8000');
  });

  it('keeps the rest of a line and valid JSON', () => {
    const line = scrub(
      JSON.stringify({ url: '/x?api_key=1&a=2', key: 'svc_test_zzz', header: 'Bearer zzz' }),
    );
    expect(JSON.parse(line)).toEqual({
      url: '/x?api_key=[secret]&a=2',
      key: 'svc_test_[secret]',
      header: 'Bearer [secret]',
    });
  });
});
