import { describe, expect, it } from 'vitest';
import { SubjectThrottle } from '../../../src/foundation/access/subject-throttle.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, openService } from './access-service.ts';

describe('a pace', () => {
  it('lets a burst begin at once, further ones evenly apart, and others as if nobody else came', () => {
    const clock = new ManualClock();
    const pace = new SubjectThrottle(clock, { burst: 3, eachMs: 1_000 });
    const waits = () => pace.next('flood', 60_000);
    expect([waits(), waits(), waits(), waits(), waits()]).toEqual([0, 0, 0, 1_000, 2_000]);
    expect(pace.next('somebody', 60_000)).toBe(0);
    clock.advance(4_000);
    expect([waits(), waits()]).toEqual([0, 0]);
  });

  it('does not count what would wait longer than it may', () => {
    const pace = new SubjectThrottle(new ManualClock(), { burst: 1, eachMs: 1_000 });
    const waits = Array.from({ length: 6 }, () => pace.next('flood', 2_000));
    expect(waits).toEqual([0, 1_000, 2_000, null, null, null]);
  });
});

onBothDatabases('refusals', (databases) => {
  // @requirement Fair use: Refusals to a flood come late, and to nobody else.
  it('are delayed for a client that keeps asking, and sent at once to all others', async () => {
    const service = await openService(await databases.open());
    databases.after(() => service.access.close());
    const { access, clock, makeKey } = service;
    const [flood, other] = [
      await makeKey({ environment: 'sandbox' }),
      await makeKey({ environment: 'sandbox' }),
    ];
    const ask = (text: string) =>
      access.authorize(bearer(text), { kind: 'key' }).then(
        () => 'passed',
        (error: { code: string }) => error.code,
      );
    const reported = async (text: string, times: number) => {
      const answers: string[] = [];
      for (let time = 0; time < times; time += 1) answers.push(await ask(text));
      return new Set(answers);
    };
    expect(await reported(flood.text, 10)).toEqual(new Set(['passed']));
    expect(await reported(flood.text, 200)).toEqual(new Set(['rate_limit_exceeded']));
    const before = clock.timers;
    const late = ask(flood.text);
    await expect.poll(() => clock.timers).toBe(before + 1);
    expect(await reported(other.text, 10)).toEqual(new Set(['passed']));
    expect(await reported(other.text, 1)).toEqual(new Set(['rate_limit_exceeded']));
    clock.advance(500);
    expect(await late).toBe('rate_limit_exceeded');
  });
});
