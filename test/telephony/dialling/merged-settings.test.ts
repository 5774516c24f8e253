// @requirement API conventions: `PATCH` keeps what it does not name, and takes `null` where a field may be empty.
import { describe, expect, it } from 'vitest';
import { applyChange, completeFields } from '../../../src/conversation/agents/fields.ts';
import { changedPlan } from '../../../src/telephony/dialling/campaign-plan.ts';
import { changed, DEFAULT_SETTINGS } from '../../../src/telephony/dialling/number-settings.ts';

const HOURS = { days: [1, 2, 3, 4, 5], from: '09:00', to: '20:00' };
const PLAN = {
  windows: HOURS,
  pacing: { concurrent: 2 },
  retries: { attempts: 3, after_s: 600 },
  amd: null,
  message: null,
  webhook_url: null,
};

describe('a change merges objects within objects', () => {
  it('of the plan of a campaign', () => {
    const windows = { from: '10:00', to: '18:00' };
    expect(changedPlan(PLAN, { windows, retries: { after_s: 60 } })).toEqual({
      ...PLAN,
      windows: { ...HOURS, ...windows },
      retries: { attempts: 3, after_s: 60 },
    });
    expect(changedPlan(PLAN, { windows: { days: null }, pacing: null, retries: null })).toEqual({
      ...PLAN,
      windows: { from: '09:00', to: '20:00' },
      pacing: {},
      retries: null,
    });
  });

  it('of the settings of a number', () => {
    const before = changed(DEFAULT_SETTINGS, {
      voicemail: { greeting: 'Hi.', silence_s: 9 },
      fallback: { kind: 'message', text: 'Closed.' },
      route: { kind: 'url', url: 'https://example.com/' },
    });
    const after = changed(before, {
      voicemail: { greeting: null, max_duration_s: 60 },
      fallback: { text: 'Back soon.' },
      route: null,
    });
    expect(after).toEqual({
      ...DEFAULT_SETTINGS,
      voicemail: { silence_s: 9, max_duration_s: 60 },
      fallback: { kind: 'message', text: 'Back soon.' },
    });
  });

  it('of an agent, at every depth of its meta', () => {
    const before = completeFields({ name: 'Maya', meta: { shop: { city: 'Rome', id: 1 }, tags: ['a'] } });
    const after = applyChange(before, { meta: { shop: { id: null, open: true }, tags: ['b'] } });
    expect(after.meta).toEqual({ shop: { city: 'Rome', open: true }, tags: ['b'] });
    expect(applyChange(after, { meta: null }).meta).toEqual({});
  });

  it.each([
    ['windows.from', () => changedPlan({ ...PLAN, windows: null }, { windows: { to: '18:00' } })],
    ['amd.mode', () => changedPlan(PLAN, { amd: { aggressiveness: 0.5 } })],
    ['settings.quiet_hours.from', () => changed(DEFAULT_SETTINGS, { quiet_hours: { to: '08:00' } })],
  ])('and refuses a result that lacks %s', (param, change) => {
    expect(change).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});
